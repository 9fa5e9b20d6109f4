import { assertEquals } from "@std/assert";
import { HistoryReader } from "../../../lib/log/history.ts";
import type { History, HistoryFilter } from "../../../lib/log/history_summary.ts";

/** Lines without their date: `05:52 agent-1 acquired` stands for 2026-08-22T23:05:52Z. */
function history(lines: readonly string[], filter: HistoryFilter = {}): History {
  const reader = new HistoryReader(filter);
  for (const line of lines) reader.feedLine(full(line));
  return reader.finish();
}

function full(line: string): string {
  return line.replace(/^(\d\d:\d\d) /, "2026-08-22T23:$1Z ");
}

function at(minuteSecond: string): number {
  return Date.parse(`2026-08-22T23:${minuteSecond}Z`);
}

function ends({ holds }: History): string[] {
  return Array.from({ length: holds.count }, (_, i) => `${holds.at(i).slug} ${holds.at(i).end}`);
}

Deno.test("history of holds one after the other has no overlap and no leak", () => {
  const read = history([
    "05:52 a acquired",
    "05:53 a released",
    "05:58 b acquired",
    "06:00 b released",
  ]);
  assertEquals(ends(read), ["a released", "b released"]);
  assertEquals([read.overlaps.count, read.leaks.count], [0, 0]);
  assertEquals(read.heldMs, 3000);
  assertEquals(read.gaps?.longestMs, 5000);
  assertEquals(read.use, 3 / 8);
});

Deno.test("history counts an acquired while another holds as an overlap, with both lines", () => {
  const read = history([
    "05:00 a acquired",
    "05:10 b acquired",
    "05:20 a released",
    "05:30 b released",
  ]);
  assertEquals(read.overlaps.count, 1);
  assertEquals(read.overlaps.most, 2);
  const [overlap] = read.overlaps.first;
  assertEquals([overlap!.first.startLine, overlap!.second.startLine], [1, 2]);
  assertEquals(read.leaks.count, 0);
  assertEquals(read.heldMs, 30_000);
});

Deno.test("history counts all who hold at once", () => {
  const read = history([
    "05:00 a acquired",
    "05:01 b acquired",
    "05:02 c acquired",
    "05:03 b released",
    "05:04 d acquired",
    "05:05 a released",
    "05:06 c released",
    "05:07 d released",
  ]);
  assertEquals(read.overlaps.most, 3);
  assertEquals(read.overlaps.first.map((overlap) => overlap.simultaneous), [2, 3, 3]);
});

Deno.test("history lets a hold without an end overlap with the next one only", () => {
  const read = history([
    "05:00 crashed acquired",
    "06:00 b acquired",
    "06:01 b released",
    "06:02 c acquired",
    "06:03 c released",
  ]);
  assertEquals(read.overlaps.count, 1);
  assertEquals(ends(read)[0], "crashed unended");
  assertEquals(read.leaks.count, 1);
  assertEquals(read.heldMs, 2000, "for how long it was held before, nobody knows");
});

Deno.test("history since a moment has no gap that began before it", () => {
  const lines = ["05:00 a acquired", "05:01 a released", "05:02 b acquired", "05:04 b released"];
  const read = history([...lines, "05:05 c acquired", "05:06 c released"], {
    sinceMs: at("05:03"),
  });
  assertEquals(ends(read), ["b released", "c released"]);
  assertEquals([read.gaps?.count, read.gaps?.longestBefore.slug], [1, "c"]);
  assertEquals(read.heldMs, 2000);
});

Deno.test("history of one agent counts no time between a hold without an end and its next one", () => {
  const read = history([
    "00:00 a acquired",
    "00:01 b acquired",
    "00:02 b released",
    "50:00 a acquired",
    "50:01 a released",
  ], { slug: "a" });
  assertEquals([read.heldMs, read.agents.map(({ totalMs }) => totalMs)], [1000, [1000]]);
});

for (const removal of ["stale_break age=613s reason=expired holder=a", "force_release holder=a"]) {
  const event = removal.split(" ")[0]!;
  Deno.test(`history ends a hold at ${event}: what comes next is no overlap`, () => {
    const read = history([
      "05:00 a acquired",
      `05:10 b ${removal}`,
      "05:10 b acquired",
      "05:11 b released",
    ]);
    assertEquals(ends(read), [`a ${event}`, "b released"]);
    assertEquals([read.overlaps.count, read.leaks.count], [0, 0]);
    assertEquals(read.incidents.some[0]!.holder, "a");
    assertEquals(read.incidents.some[0]!.heldMs, 10_000);
  });
}

Deno.test("history ends the hold that stands where a break names nobody who holds", () => {
  const read = history([
    "05:00 a acquired",
    "05:10 b stale_break age=9s reason=dead holder=unknown",
  ]);
  assertEquals(ends(read), ["a stale_break"]);
  assertEquals(read.incidents.some[0]!.holder, "a");
});

Deno.test("history ends a hold at lost, before the next acquired or after it", () => {
  const before = history([
    "05:00 a acquired",
    "05:05 a lost",
    "05:06 b acquired",
    "05:07 b released",
  ]);
  assertEquals([before.overlaps.count, before.leaks.count], [0, 0]);
  const after = history([
    "05:00 a acquired",
    "05:06 b acquired",
    "05:07 a lost",
    "05:08 b released",
  ]);
  assertEquals([after.overlaps.count, after.leaks.count], [1, 0]);
  assertEquals(ends(after), ["a lost", "b released"]);
});

Deno.test("history tells how long a broken holder worked on", () => {
  const read = history([
    "05:00 a acquired",
    "15:00 b stale_break age=600s reason=expired holder=a",
    "15:00 b acquired",
    "15:20 a released",
    "15:30 b released",
    "15:31 c released",
  ]);
  assertEquals(
    read.incidents.some.map(({ kind, carriedOnMs }) => [kind, carriedOnMs]),
    [["stale_break", null], ["late_release", 20_000], ["stray_release", null]],
  );
  assertEquals(ends(read), ["a stale_break", "b released"]);
});

for (const removal of ["stale_break age=613s reason=expired holder=a", "force_release holder=a"]) {
  for (const end of ["released", "lost"]) {
    const event = removal.split(" ")[0]!;
    Deno.test(`history counts an overlap where a hold ended by ${event} tells its own ${end} after the next acquired`, () => {
      const lines = [
        "05:00 a acquired",
        `15:00 b ${removal}`,
        "15:00 b acquired",
        `15:20 a ${end}`,
        "15:30 b released",
      ];
      const read = history(lines);
      assertEquals([read.overlaps.count, read.overlaps.most, read.cutShort], [1, 2, 0]);
      assertEquals(read.overlaps.first[0]!.first.workedOnTo, { ms: at("15:20"), line: 4 });
      for (const filter of [{ slug: "a" }, { slug: "b" }, { sinceMs: at("15:10") }]) {
        assertEquals(history(lines, filter).overlaps.count, 1);
      }
      assertEquals(history(lines, { untilMs: at("14:00") }).overlaps.count, 0);
    });
  }
}

Deno.test("history counts no overlap where a broken holder tells its end before the next acquired", () => {
  const read = history([
    "05:00 a acquired",
    "15:00 b stale_break age=600s reason=expired holder=a",
    "15:01 a released",
    "15:02 b acquired",
    "15:03 b released",
  ]);
  assertEquals([read.overlaps.count, read.cutShort], [0, 0]);
});

Deno.test("history counts as cut short whose end by others, loss or limit the next hold follows, but for the dead", () => {
  const cut = (removal: string, ...more: string[]) =>
    history(["05:00 a acquired", removal, ...more]).cutShort;
  const next = ["15:00 b acquired", "15:30 b released"];
  assertEquals(cut("15:00 b stale_break age=600s reason=expired holder=a", ...next), 1);
  assertEquals(cut("15:00 b stale_break age=600s", ...next), 1);
  assertEquals(cut("15:00 c force_release holder=a", ...next), 1);
  assertEquals(cut("14:00 a lost", ...next), 1);
  assertEquals(cut("14:00 a max_hold", "14:01 a released", ...next), 1);
  assertEquals(cut("14:00 a max_hold", "14:01 a released"), 0, "nobody acquired after it");
  assertEquals(cut("15:00 b stale_break age=600s reason=dead holder=a", ...next), 0);
  assertEquals(cut("15:00 c force_release holder=a"), 0, "nobody acquired after it");
  assertEquals(cut("15:00 c force_release holder=a", "15:01 a released", ...next), 0);
});

Deno.test("history calls a lock leaked that stands at the end of the log", () => {
  const read = history([
    "05:00 a acquired",
    "05:01 a released",
    "05:02 b acquired",
    "06:00 c gave_up waited=58s reason=timeout",
  ]);
  assertEquals(read.leaks.count, 1);
  assertEquals(read.leaks.some[0]!.startLine, 3);
  assertEquals(read.heldMs, 59_000);
});

Deno.test("history pairs several holds of one name, youngest first", () => {
  const read = history([
    "05:00 a acquired",
    "05:01 a acquired",
    "05:02 a released",
    "05:09 a released",
  ]);
  assertEquals(read.overlaps.count, 1);
  assertEquals([read.holds.lastedMs(0), read.holds.lastedMs(1)], [9000, 1000]);
});

Deno.test("history goes by the order of lines where clocks differ", () => {
  const read = history([
    "05:10 a acquired",
    "05:15 a released",
    "05:12 b acquired",
    "05:14 b released",
  ]);
  assertEquals(read.overlaps.count, 0);
  assertEquals(read.gaps?.longestMs, 0);
  assertEquals(read.heldMs, 7000);
  assertEquals(read.clock, { backwards: 1, largestMs: 3000, line: 3 });
});

Deno.test("history takes CRLF, a byte order mark, pieces of any size and no newline at the end", () => {
  const text = "\ufeff2026-08-22T23:05:00Z a acquired\r\n2026-08-22T23:05:01Z a released\r\n\r\n" +
    "2026-08-22T23:05:02Z ü acquired\n2026-08-22T23:05:03Z ü released";
  for (const size of [1, 7, 1000]) {
    const reader = new HistoryReader();
    for (let from = 0; from < text.length; from += size) reader.feed(text.slice(from, from + size));
    const read = reader.finish();
    assertEquals(ends(read), ["a released", "ü released"]);
    assertEquals([read.broken.count, read.lines], [0, 5]);
  }
});

Deno.test("history counts broken lines and goes on", () => {
  const read = history([
    "nonsense",
    "05:00 a acquired",
    "2026-99-99T99:99:99Z a released",
    "05:01 a released",
  ]);
  assertEquals(read.broken.count, 2);
  assertEquals(read.broken.some[0], { line: 1, text: "nonsense", readAs: [] });
  assertEquals(ends(read), ["a released"]);
});

Deno.test("a released that was cut short ends its hold, with or without a line glued to it", () => {
  for (const cut of ["r", "rele", "release"]) {
    const glued = history(["05:00 a acquired", `05:01 a ${cut}2026-08-22T23:05:02Z b acquired`]);
    const alone = history(["05:00 a acquired", `05:01 a ${cut}`, "05:02 b acquired"]);
    for (const read of [glued, alone]) {
      assertEquals(ends(read), ["a released", "b open"]);
      assertEquals([read.overlaps.count, read.leaks.count], [0, 1]);
      assertEquals([read.counts.acquired, read.counts.released], [2, 0], "as endswith counts them");
      assertEquals([read.broken.count, read.otherEvents.size], [1, 0]);
    }
    assertEquals(glued.broken.some[0]?.readAs, ["a released", "b acquired"]);
    assertEquals(alone.broken.some[0]?.readAs, ["a released"]);
  }
});

Deno.test("an acquired that was cut short begins no hold: it was taken back", () => {
  const read = history(["05:00 a acqui2026-08-22T23:05:02Z b acquired", "05:03 b released"]);
  assertEquals(ends(read), ["b released"]);
  assertEquals(read.broken.some[0]?.readAs, ["b acquired"]);
});

Deno.test("history drops the rest of a line that never ends", () => {
  const reader = new HistoryReader();
  for (let piece = 0; piece < 50; piece++) reader.feed("x".repeat(100_000));
  reader.feed("\n2026-08-22T23:05:00Z a acquired\n");
  const read = reader.finish();
  assertEquals([read.broken.count, read.counts.acquired], [1, 1]);
});

Deno.test("history counts words that it does not know apart", () => {
  const read = history([
    "05:00 a acquired",
    "05:01 a renewed",
    "05:02 a constructor",
    "05:03 a released",
  ]);
  assertEquals([...read.otherEvents], [["renewed", 1], ["constructor", 1]]);
  assertEquals(read.broken.count, 0);
});

const DAY = [
  "05:00 a acquired",
  "05:30 a released",
  "06:00 b gave_up waited=3s reason=timeout",
  "06:10 b acquired",
  "07:00 b released",
];

Deno.test("history since and until keeps what reaches into that time", () => {
  const read = history(DAY, { sinceMs: at("06:05"), untilMs: at("06:30") });
  assertEquals(ends(read), ["b released"]);
  assertEquals(read.counts.gave_up, 0);
  assertEquals([read.heldMs, read.leaks.count], [20_000, 0]);
  assertEquals(history(DAY, { sinceMs: at("05:20") }).holds.count, 2);
});

Deno.test("history of one slug keeps its holds, its events and what was done to it", () => {
  const read = history([...DAY, "08:00 a acquired", "09:00 ops force_release holder=a"], {
    slug: "a",
  });
  assertEquals(ends(read), ["a released", "a force_release"]);
  assertEquals(read.counts.gave_up, 0);
  assertEquals(read.incidents.some.map(({ kind }) => kind), ["force_release"]);
  assertEquals([read.counts.force_release, read.removals?.wasForced], [1, 1]);
});

Deno.test("history of one slug counts a removal for both sides, and tells which side it was on", () => {
  const lines = [
    "05:00 a acquired",
    "05:10 b stale_break age=9s reason=dead",
    "05:10 b acquired",
    "05:20 a force_release holder=b",
    "05:30 a acquired",
    "05:40 a stale_break age=9s reason=dead holder=a",
  ];
  const a = history(lines, { slug: "a" });
  assertEquals([a.counts.stale_break, a.counts.force_release], [2, 1]);
  assertEquals(a.removals, { broke: 0, forced: 1, wasBroken: 2, wasForced: 0 });
  const b = history(lines, { slug: "b" });
  assertEquals([b.counts.stale_break, b.counts.force_release], [1, 1]);
  assertEquals(b.removals, { broke: 1, forced: 0, wasBroken: 0, wasForced: 1 });
  assertEquals(history(lines).removals, null);
});

Deno.test("history of nothing has no figures", () => {
  const read = history([]);
  assertEquals([read.window, read.gaps, read.use, read.heldMs], [null, null, null, 0]);
});

Deno.test("history keeps the latest incidents of each kind and counts all", () => {
  const lines = Array.from({ length: 1200 }, () => "05:00 a gave_up waited=3s reason=timeout");
  const read = history(["05:00 b lost", ...lines]);
  assertEquals(read.incidents.count, 1201);
  assertEquals(read.incidents.some.length, 501);
  assertEquals([read.incidents.some[0]!.line, read.incidents.some.at(-1)!.line], [1, 1201]);
});

for (const removal of ["stale_break age=613s reason=expired holder=a", "force_release holder=a"]) {
  const event = removal.split(" ")[0]!;
  Deno.test(`history takes a ${event} back at not_removed: its hold goes on`, () => {
    const lines = ["05:00 a acquired", `15:00 b ${removal}`, "15:00 b not_removed holder=a"];
    const open = history(lines);
    assertEquals([ends(open), open.leaks.count, open.heldMs], [["a open"], 1, 600_000]);
    assertEquals([open.counts.stale_break, open.counts.force_release], [0, 0]);
    assertEquals(history(lines, { slug: "a" }).removals?.wasBroken, 0);
    const over = history([...lines, "16:00 a released", "16:01 b acquired", "16:02 b released"]);
    assertEquals(ends(over), ["a released", "b released"]);
    assertEquals([over.overlaps.count, over.leaks.count, over.cutShort], [0, 0, 0]);
    assertEquals(over.incidents.some.map(({ kind }) => kind), [event, "not_removed"]);
  });
}

Deno.test("history believes no not_removed after which nothing was left, or that nobody announced", () => {
  const since = history([
    "05:00 a acquired",
    "15:00 b stale_break age=9s reason=dead holder=a",
    "15:00 c acquired",
    "15:00 b not_removed holder=a",
    "15:01 c released",
  ]);
  assertEquals(ends(since), ["a stale_break", "c released"]);
  assertEquals(since.overlaps.count, 0);
  const alone = history(["05:00 a acquired", "15:00 b not_removed holder=a", "15:01 a released"]);
  assertEquals(ends(alone), ["a released"]);
});
