import { assertEquals } from "@std/assert";
import { isEvent, type LogEvent, logLine, parseLogLine } from "../../../lib/log/lines.ts";

const AT_MS = Date.UTC(2026, 7, 22, 23, 5, 52, 999);

/** One of each kind of event, about a holder of that name. */
function eventsAbout(holder: string | null): LogEvent[] {
  return [
    { event: "acquired" },
    { event: "released" },
    { event: "lost" },
    { event: "max_hold" },
    { event: "stale_break", ageMs: 613_400, reason: "expired", holder },
    { event: "gave_up", waitedMs: 1_800_100, reason: "timeout" },
    { event: "force_release", holder },
  ];
}

Deno.test("logLine() writes the lines of the public format", () => {
  assertEquals(eventsAbout("agent-1").map((event) => logLine(AT_MS, "agent-2", event)), [
    "2026-08-22T23:05:52Z agent-2 acquired\n",
    "2026-08-22T23:05:52Z agent-2 released\n",
    "2026-08-22T23:05:52Z agent-2 lost\n",
    "2026-08-22T23:05:52Z agent-2 max_hold\n",
    "2026-08-22T23:05:52Z agent-2 stale_break age=613s reason=expired holder=agent-1\n",
    "2026-08-22T23:05:52Z agent-2 gave_up waited=1800s reason=timeout\n",
    "2026-08-22T23:05:52Z agent-2 force_release holder=agent-1\n",
  ]);
});

Deno.test("logLine() ends in acquired or released for these two events alone, whatever the names", () => {
  const names = ["acquired", "released", "x-released", "a\nb released", "é acquired", "", null];
  for (const holder of names) {
    for (const event of eventsAbout(holder)) {
      const line = logLine(AT_MS, "released", event);
      const counted = /(acquired|released)\n$/.test(line);
      assertEquals(counted, event.event === "acquired" || event.event === "released", line);
      assertEquals(line.trimEnd().split("\n").length, 1, "one line");
    }
  }
});

Deno.test("logLine() names nobody where nobody is known", () => {
  assertEquals(
    logLine(0, "ops", { event: "force_release", holder: null }),
    "1970-01-01T00:00:00Z ops force_release holder=unknown\n",
  );
});

Deno.test("parseLogLine() reads back what logLine() wrote", () => {
  for (const event of eventsAbout("released")) {
    const read = parseLogLine(logLine(AT_MS, "agent-2", event).trimEnd())!;
    assertEquals(read.atMs, AT_MS - 999);
    assertEquals([read.slug, read.event], ["agent-2", event.event]);
    if ("holder" in event) assertEquals(read.values["holder"], "released");
  }
});

Deno.test("parseLogLine() takes other programs' events, and nothing that is no line", () => {
  assertEquals(parseLogLine("2026-08-22T23:05:52Z a took_a_nap why=tired")?.values, {
    why: "tired",
  });
  const wrong = [
    "",
    "acquired",
    "2026-08-22T23:05:52Z",
    "2026-08-22T23:05:52Z a",
    "2026-08-22T23:05:52Z  acquired",
    "2026-08-22 23:05:52Z a acquired",
    "2026-08-22T23:05:52+ a acquired",
    "2026-13-45T99:99:99Z a acquired",
    "2026-08-22T23:05:52Z a ACQUIRED",
  ];
  for (const line of wrong) assertEquals(parseLogLine(line), null, line);
});

Deno.test("isEvent() knows the words of the log, and no others", () => {
  assertEquals(eventsAbout(null).every(({ event }) => isEvent(event)), true);
  assertEquals(["rele", "acquiredX", "", "constructor"].some(isEvent), false);
});
