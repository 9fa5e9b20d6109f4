import { assert, assertEquals, assertLess } from "@std/assert";
import { keptOfCommand } from "../../../../lib/lock/command.ts";
import { LIFELINE_LARGEST_BYTES, parseLifeline } from "../../../../lib/folder/state/lifeline.ts";

Deno.test("keptOfCommand() keeps a command line of 4096 characters as it is", () => {
  for (const command of [["make", "all"], [], [""], ["x".repeat(4095)]]) {
    assertEquals(keptOfCommand(command), command);
  }
});

Deno.test("keptOfCommand() cuts a longer command line, and marks that it did (D10)", () => {
  assertEquals(keptOfCommand(["sh", "-c", "y".repeat(5000)]), [
    "sh",
    "-c",
    "y".repeat(4089),
    "…",
  ]);
  assertEquals(keptOfCommand(["x".repeat(4095), "more"]), ["x".repeat(4095), "…"]);
  const numbers = ["cat", ...Array.from({ length: 12_000 }, (_, number) => `${number}`)];
  const cut = keptOfCommand(numbers);
  assertEquals(cut.at(-1), "…");
  assertEquals(cut.slice(0, 1000), numbers.slice(0, 1000));
  // A cut may not leave half of a character behind.
  assert(keptOfCommand([`${"x".repeat(4094)}😀`, "more"]).every((word) => word.isWellFormed()));
});

Deno.test("a lifeline can be read back whatever its command line is", () => {
  const command = (word: string, count: number) => Array.from({ length: count }, () => word);
  const commands = [
    command("", 200_000),
    command("\u0001".repeat(100), 20_000),
    command("€".repeat(100), 20_000),
    ["\uD800".repeat(200_000)],
    ['"\\'.repeat(200_000)],
  ];
  for (const long of commands) {
    const told = { childPid: 4712, command: keptOfCommand(long) };
    const text = JSON.stringify(told);
    assertLess(new TextEncoder().encode(text).length, LIFELINE_LARGEST_BYTES);
    assertEquals(parseLifeline(text), told);
  }
});

Deno.test("parseLifeline() takes nothing for a command that names no process (E6)", () => {
  for (const text of ["", "{}", "[]", "null", "{", '{"childPid":0}', '{"childPid":"4712"}']) {
    assertEquals(parseLifeline(text), null, text);
  }
  assertEquals(parseLifeline('{"childPid":4712}'), { childPid: 4712, command: [] });
  const strange = parseLifeline('{"childPid":4712,"command":["a",1],"endsAll":"yes"}');
  assertEquals(strange, { childPid: 4712, command: ["a"] });
});
