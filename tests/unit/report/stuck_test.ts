/** The README's table for the stuck quotes `status`: its words are compared with what `status` says. */

import { assert, assertMatch } from "@std/assert";
import { LOCAL_DISK } from "../../../lib/folder/place/mount_trust.ts";
import type { Evidence, HolderEvidence } from "../../../lib/folder/verdict/findings.ts";
import { judge } from "../../../lib/folder/verdict/judge.ts";
import type { HolderRecord } from "../../../lib/folder/state/record.ts";
import { viewHold, viewVerdict } from "../../../lib/folder/visit/status.ts";
import { statusText } from "../../../lib/report/status_text.ts";
import { A_RECORD } from "../folder/a_record.ts";

const STALE_MS = 600_000;
const PID = 322;
const CHILD_PID = 347;

/** A living `run` of this machine, but for what is changed. */
function holder(edit: Partial<HolderEvidence>, record: Partial<HolderRecord> = {}): HolderEvidence {
  return {
    record: { ...A_RECORD, pid: PID, childPid: CHILD_PID, childStart: "1", ...record },
    sameMachine: true,
    ours: A_RECORD.machine,
    namespaceEmptied: false,
    process: "alive",
    child: "alive",
    lifeline: "free",
    removerDied: false,
    beatStillForMs: 0,
    stopped: [],
    ...edit,
  };
}

function statusOf(who: Evidence["holder"], ageMs: number, entries: readonly string[] = []): string {
  const evidence = {
    ageMs,
    mtimeInFuture: false,
    mtimeStillForMs: 0,
    wallJumpedAgoMs: null,
    beside: { heartbeatMs: null, stillForMs: 0 },
    mount: LOCAL_DISK,
    holder: who,
  };
  const verdict = judge(evidence, STALE_MS);
  const record = typeof who === "string" ? null : who.record;
  const view = {
    slug: record?.slug ?? null,
    mode: record?.mode ?? null,
    pid: record?.pid ?? null,
    host: record?.machine.host ?? null,
    sinceMs: record?.acquiredAt ?? null,
    why: verdict.why,
    oddity: null,
    isNew: false,
  };
  const held = {
    holder: view,
    hold: record && viewHold(record, []),
    verdict: viewVerdict(verdict),
    ageMs,
    entries: [...entries],
    remover: null,
  };
  return statusText({ lock: "/srv/lock.lock", held, queue: [], absent: [], lastHold: null }, ageMs);
}

const MINUTE_MS = 60_000;
const ELSEWHERE = { ...A_RECORD.machine, host: "forge-7", bootId: "another" };

const SAID = [
  statusOf(holder({}), 1000),
  statusOf(holder({ stopped: [PID] }), 1000),
  statusOf(holder({}), 20 * MINUTE_MS),
  statusOf(holder({ process: "gone" }), 1000),
  statusOf(holder({ process: "gone", child: "gone" }), 1000),
  statusOf(holder({ process: "gone" }, { mode: "acquire", childPid: null }), 3 * MINUTE_MS),
  statusOf("no record", 3 * MINUTE_MS),
  statusOf(
    holder({ sameMachine: false, process: "unknown", child: "unknown" }, { machine: ELSEWHERE }),
    17_000,
  ),
  statusOf("no record", 1000, ["notes.txt"]),
];

Deno.test("the README's table for the stuck quotes what status says", async () => {
  const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
  const table = /^\| `status` says .*\n.*\n((?:\|.*\n)+)/m.exec(readme);
  assert(table);
  const quotes = [...table[1]!.matchAll(/^\| `(.+?)`(?=[, ])/gm)].map(([, words]) => words!);
  assert(quotes.length >= SAID.length - 1, quotes.join("\n"));
  for (const quote of quotes) {
    const parts = quote.split("…").map((part) => part.trim().replace(/[.()]/g, "\\$&"));
    const plain = SAID.join("\n").replaceAll("`", "");
    assertMatch(plain, new RegExp(parts.join(".*")), quote);
  }
});
