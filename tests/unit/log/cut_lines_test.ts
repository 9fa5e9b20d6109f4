import { assertEquals, assertMatch } from "@std/assert";
import { recordsOf, wholeRecord } from "../../../lib/log/lines.ts";

function at(second: number): string {
  return `2026-08-22T23:05:5${second}Z`;
}

function read(line: string): string[] {
  return recordsOf(line).map(({ slug, event, isCut }) =>
    `${slug} ${event}${isCut ? " (cut)" : ""}`
  );
}

Deno.test("a whole line is one record, whatever its values say", () => {
  const whole = [
    `${at(1)} a acquired`,
    `${at(1)} a stale_break age=1s reason=dead holder=xZ`,
    `${at(1)} a danced how=2026Z far`,
    `${at(1)} a${at(2)} acquired`,
    `${at(1)} a${at(2)} released`,
    `${at(1)} a${at(2)} gave_up waited=1s reason=timeout`,
  ];
  for (const line of whole) assertMatch(wholeRecord(line)?.slug ?? "", /^a/, line);
});

Deno.test("what is left of lines that were cut short, and of those glued to them", () => {
  const cases: [string, string[]][] = [
    [`${at(1)} alice rel`, ["alice released (cut)"]],
    [`${at(1)} alice rel${at(2)} bob acquired`, ["alice released (cut)", "bob acquired"]],
    [`${at(1)} alice released${at(2)} bob acquired`, ["alice released", "bob acquired"]],
    [`${at(1)} ali${at(2)} bob acquired`, ["bob acquired"]],
    [`${at(1)} agent-${at(2)} bob acquired`, ["bob acquired"]],
    [`${at(1)} ${at(2)} bob acquired`, ["bob acquired"]],
    [`2026-08-${at(2)} bob acquired`, ["bob acquired"]],
    [
      `${at(1)} carl gave_up waited=1s reason=time${at(2)} bob acquired`,
      ["carl gave_up", "bob acquired"],
    ],
    [
      `${at(1)} carl stale_break age=12s reason=dead holder=ali${at(2)} bob acquired`,
      ["carl stale_break", "bob acquired"],
    ],
    [`${at(1)} carl gave_u${at(2)} alice rel`, ["alice released (cut)"]],
    [`${at(1)} a${at(2)} rel`, [`a${at(2)} released (cut)`]],
    [`${at(1)} a${at(2)} rel${at(3)} b acquired`, [`a${at(2)} released (cut)`, "b acquired"]],
    [
      `${at(1)} alice relea${at(2)} bob rel${at(3)} carl acquired`,
      ["alice released (cut)", "bob released (cut)", "carl acquired"],
    ],
    [`${at(1)} alice released\0\0\0`, ["alice released"]],
    [`\0\0${at(1)} alice acquired`, ["alice acquired"]],
    [`${at(1)} alice acquired${at(2)} bob acquired`, ["bob acquired"]],
    [`${at(1)} alice acq${at(2)} bob acquired`, ["bob acquired"]],
    ["garbage", []],
    [`${at(1)} alice`, []],
  ];
  for (const [line, expected] of cases) {
    assertEquals(read(line), expected, JSON.stringify(line));
    assertEquals(wholeRecord(line), null, "is told to be broken");
  }
});
