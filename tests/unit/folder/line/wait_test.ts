import { assertEquals } from "@std/assert";
import { wakeUpKind } from "../../../../lib/folder/line/wait.ts";

Deno.test("wakeUpKind(): a waiter asks for the file lock ahead only where it will be granted", () => {
  const kind = (type: string | null, wakeUps: "sure" | "hints" | "none", outlivesWait = false) =>
    wakeUpKind({ type }, { wakeUps, outlivesWait });
  assertEquals(kind("ext4", "sure"), "file locks");
  assertEquals(["nfs", "nfs4", null].map((type) => kind(type, "hints")), [
    "file locks",
    "file locks",
    "file locks",
  ]);
  assertEquals([kind("cifs", "hints"), kind("smb3", "hints")], ["watch", "watch"]);
  assertEquals(kind("ext4", "sure", true), "watch");
  assertEquals([kind("ext4", "none"), kind("cifs", "none")], ["none", "none"]);
});
