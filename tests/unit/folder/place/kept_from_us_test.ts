import { assertEquals } from "@std/assert";
import { isKeptFromUs } from "../../../../lib/folder/place/kept_from_us.ts";

Deno.test("isKeptFromUs() is about another user's thing in a sticky folder of a third, and not root (R21)", () => {
  const kept = (mode: number | null, folder: number | null, thing: number | null, own: number) =>
    isKeptFromUs({ mode, uid: folder }, { uid: thing }, { uid: own });
  assertEquals(kept(0o1777, 0, 1001, 1002), true);
  assertEquals(kept(0o1777, 0, 0, 1002), true);
  assertEquals(kept(0o777, 0, 1001, 1002), false, "not sticky");
  assertEquals(kept(0o1777, 0, 1002, 1002), false, "our own");
  assertEquals(kept(0o1777, 1002, 1001, 1002), false, "in our own folder");
  assertEquals(kept(0o1777, 1, 1001, 0), false, "root");
  assertEquals(kept(null, null, null, 1002), false, "a system without users");
});
