import { assertEquals, assertThrows } from "@std/assert";
import { countFlag, refuseAllBut } from "../../tools/flags.ts";

Deno.test("countFlag() reads a whole number from 1 on, or takes the default", () => {
  assertEquals(countFlag("runs", "4711", 7), 4711);
  assertEquals(countFlag("runs", undefined, 7), 7);
  for (const text of ["", "0", "-1", "1.5", "1e3", "x", "12345678901"]) {
    assertThrows(() => countFlag("runs", text, 7), Error, `--runs "${text}" is no count`);
  }
});

Deno.test("refuseAllBut() names the word and the flags that there are", () => {
  assertThrows(
    () => refuseAllBut(["seed", "runs"])("--sede"),
    Error,
    "it knows no --sede, only --seed, --runs",
  );
});
