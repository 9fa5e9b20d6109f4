import { assertEquals } from "@std/assert";
import { ageMsOf, cleaningRuleFor } from "../../../../lib/doctor/rules/temp_rules.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

Deno.test("ageMsOf() reads what tmpfiles.d(5) allows", () => {
  const ages: [string, number][] = [
    ["10d", 10 * DAY_MS],
    ["12h", 12 * HOUR_MS],
    ["1w2days", 9 * DAY_MS],
    ["90", 90_000],
    ["0", 0],
    ["500ms", 500],
    ["2min", 120_000],
    ["~5d", 5 * DAY_MS],
    ["aAbBmM:3h", 3 * HOUR_MS],
    ["-", NaN],
    ["", NaN],
    ["10parsecs", NaN],
  ];
  for (const [age, ms] of ages) assertEquals(ageMsOf(age), ms, age);
});

function ruleFor(path: string, ...texts: string[]): string | null {
  const files = texts.map((text, index) => ({ path: `/f${index}.conf`, text }));
  const rule = cleaningRuleFor(path, files);
  return rule && `${rule.path} ${rule.age} ${rule.file}`;
}

const DEBIAN =
  "# Clear tmp directories\nD /tmp 1777 root root 10d\n#q /x 1 r r 1d\nq /var/tmp 1777 root root 30d\n";

Deno.test("cleaningRuleFor() finds the rule of a folder or of one above it", () => {
  assertEquals(ruleFor("/tmp", DEBIAN), "/tmp 10d /f0.conf");
  assertEquals(ruleFor("/tmp/a/b", DEBIAN), "/tmp 10d /f0.conf");
  assertEquals(ruleFor("/var/tmp/x", DEBIAN), "/var/tmp 30d /f0.conf");
  assertEquals(ruleFor("/tmpfoo", DEBIAN), null);
  assertEquals(ruleFor("/srv/locks", DEBIAN), null);
});

Deno.test("cleaningRuleFor() passes over rules without an age", () => {
  assertEquals(ruleFor("/run/lock/x", "d /run/lock 0755 root root -"), null);
  assertEquals(ruleFor("/run/lock/x", "d /run/lock"), null);
});

Deno.test("cleaningRuleFor() prefers the innermost rule", () => {
  assertEquals(ruleFor("/tmp/a/b", "d /tmp/a - - - 1h", DEBIAN), "/tmp/a 1h /f0.conf");
});

Deno.test("cleaningRuleFor() heeds exceptions, wildcards and quotes", () => {
  assertEquals(ruleFor("/tmp/keep-1/x", DEBIAN, "x /tmp/keep-*"), null);
  assertEquals(ruleFor("/tmp/other", DEBIAN, "x /tmp/keep-*"), "/tmp 10d /f0.conf");
  assertEquals(ruleFor("/tmp/keep-1/x", DEBIAN, "X /tmp/keep-*"), "/tmp 10d /f0.conf");
  assertEquals(ruleFor("/cache/a/b", 'e! "/cache/*" - - - 2d'), "/cache/* 2d /f0.conf");
  assertEquals(ruleFor("/cache/a", "e /cache/%b - - - 2d"), null);
});
