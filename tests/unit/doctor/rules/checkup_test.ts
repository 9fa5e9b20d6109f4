import { assertEquals } from "@std/assert";
import { checksOf, outcomeOf } from "../../../../lib/doctor/rules/checkup.ts";
import type { Findings } from "../../../../lib/doctor/rules/judgement.ts";

const RACE = {
  processes: 8,
  races: 5,
  severalWinners: 0,
  mostWinners: 1,
  noWinner: 0,
  otherCodes: [],
};

Deno.test("checksOf() lists what was asked, in a fixed order", () => {
  const checks = checksOf({
    race: RACE,
    writing: { problem: null },
    inotify: { limit: 128 },
    leftBehind: "/x/.doctor-1",
  });
  assertEquals(checks.map(({ name, status }) => `${status} ${name}`), [
    "PASS writable",
    "PASS mkdir race",
    "PASS inotify",
    "WARN cleaned up",
  ]);
  assertEquals(outcomeOf(checks), { trusted: true, counts: { PASS: 3, WARN: 1, FAIL: 0 } });
});

Deno.test("checksOf() warns of what could not be tried, and fails without the race", () => {
  const untried = { untried: "no answer" };
  const findings: Findings = {
    writing: { problem: null },
    race: untried,
    watch: untried,
    peer: untried,
  };
  const checks = checksOf(findings);
  assertEquals(checks.map(({ name, status }) => `${status} ${name}`), [
    "PASS writable",
    "FAIL mkdir race",
    "WARN watch",
    "FAIL peer",
  ]);
  assertEquals(checks[1]!.text, "could not be tried: no answer");
  assertEquals(outcomeOf(checks).trusted, false);
});
