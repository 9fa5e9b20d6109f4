/** `herd`: many processes of this very program at one lock, and the report of what they logged. */

import { countOf } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";
import { jsonText } from "../../words/json.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { exitCodeAfter } from "../../lock/failure_codes.ts";
import { FolderUnusable, UsageError } from "../../lock/failures.ts";
import { FileFault } from "../../sys/faults.ts";
import type { History } from "../../log/history_summary.ts";
import { joinSlots } from "../../log/slots_history.ts";
import { openLine } from "../../folder/slots/counted_site.ts";
import { HistoryReader } from "../../log/history.ts";
import { HELD_VARIABLE } from "../../lock/variables.ts";
import { temporaryFolder } from "../../folder/place/shared_folders.ts";
import { logSince, markLog } from "../../folder/log_since.ts";
import { refuseUnsafeMount } from "../../folder/place/mount.ts";
import { checkFolder, checkWritable, explain } from "../../folder/place/obstacles.ts";
import { runCommand, type Starter } from "../../lock/command.ts";
import { makeScratchFolder, removeScratchFolder } from "../../folder/state/state_files.ts";
import type { Site } from "../../folder/site.ts";
import { type Herd, herdVerdict, loggedHolds, runsThrough } from "../../fleet/herd_text.ts";
import { type ReportAbout, reportObject } from "../../report/json.ts";
import { judgeSlots, type SlotReport, verdictsOfSlots } from "../../report/slots.ts";
import { reportText } from "../../report/text.ts";
import { type Verdict, verdictLines, type Verdicts, verdictsOf } from "../../report/verdicts.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { countOption, durationOption, waitOptions } from "../options.ts";
import { slotsOption } from "../slots_option.ts";
import { line } from "../wording/line.ts";
import { outLooks } from "../say.ts";
import { folderOf, lockOption, withGivenSharedDir } from "../which_lock.ts";

export const HERD_PART = "herd-part";

/** Each agent is two processes of some 50 MB while it holds, and one while it waits. */
const MOST_AGENTS = 200;
const MOST_ROUNDS = 10_000;

/** For an end by a signal of which no run has told: Ctrl-C is the likeliest. */
const INTERRUPTED = exitCodeAfter("SIGINT");

interface Plan {
  readonly agents: number;
  readonly rounds: number;
  readonly holdMs: number;
  /** What each `run` is told on top. */
  readonly flags: readonly string[];
}

export async function herdCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const plan = planOf(parsed, host);
  const given = parsed.values.dir !== undefined;
  const dir = given ? undefined : await freshFolder(host);
  const inFolder = given
    ? await withGivenSharedDir(parsed, host)
    : { ...parsed, values: { ...parsed.values, dir: dir! } };
  const site = await folderOf(inFolder, host);
  let keep = given;
  try {
    await checkUsable(site, host);
    const { code, passes } = await herdAndReport(site, host, parsed, plan, given);
    keep ||= !passes;
    if (!passes) await host.terminal.err(line(`what they left is in ${site.paths.dir}`));
    return code;
  } finally {
    if (!keep) await removeScratchFolder(host.files, site.paths.dir);
  }
}

/** @throws UsageError */
function planOf(parsed: ParsedLine, { environment }: Host): Plan {
  // The flags go on to the runs as they are; here they are only looked at.
  waitOptions({ ...parsed, values: { ...parsed.values, slug: "agent" } });
  lockOption({ ...parsed, values: { ...parsed.values, dir: "/" } }, environment);
  const { name, poll, stale, timeout, slots } = parsed.values;
  slotsOption(parsed, "slots");
  const flags = Object.entries({ name, poll, stale, timeout, slots })
    .flatMap(([flag, value]) => value === undefined ? [] : [`--${flag}`, value]);
  return {
    agents: countOption(parsed, "agents", MOST_AGENTS),
    rounds: countOption(parsed, "rounds", MOST_ROUNDS),
    holdMs: durationOption(parsed, "hold", 0),
    flags,
  };
}

async function freshFolder(host: Host): Promise<string> {
  const { os, get } = host.environment;
  const parent = temporaryFolder(os, get);
  try {
    return await makeScratchFolder(host, parent, "herd");
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    const { reason } = fault;
    throw new FolderUnusable(parent, { kind: "folder", reason, uid: null, mode: null });
  }
}

/** Once for all, so that not each of them tells of the same folder. */
async function checkUsable(site: Site, host: Host): Promise<void> {
  refuseUnsafeMount(site, host.environment);
  await checkFolder(site);
  try {
    await checkWritable(site);
  } catch (fault) {
    throw await explain(site, fault);
  }
}

async function herdAndReport(
  site: Site,
  host: Host,
  parsed: ParsedLine,
  plan: Plan,
  given: boolean,
): Promise<{ readonly code: number; readonly passes: boolean }> {
  const isJson = parsed.set.has("json");
  if (!isJson && !parsed.set.has("quiet")) await host.terminal.err(line(announcement(site, plan)));
  const places = placesOf(site, parsed);
  const marks = [];
  for (const place of places) marks.push(await markLog(place));
  const slugs = await slugsOf(host, plan.agents, given);
  const { herd, interrupted } = await letLoose(site, host, plan, slugs);
  if (interrupted) {
    const code = herd.codes.find((code) => code > 128) ?? INTERRUPTED;
    await host.terminal.err(line("interrupted; there is nothing to report"));
    return { code, passes: true };
  }
  const parts = [];
  for (const [at, place] of places.entries()) {
    const reader = new HistoryReader();
    reader.feed(await logSince(place, marks[at]!));
    const history = reader.finish();
    const holdsNow = await strangerHolding(place, history, slugs);
    parts.push({ slot: place.slot ?? null, history, holdsNow });
  }
  const { history, verdicts, slots } = reportOf(parts);
  const verdict = herdVerdict(history, herd);
  const passes = verdicts.pass && verdict.passes;
  const text = isJson
    ? jsonText(
      herdObject(site, history, { verdicts, slots }, herd, verdict, passes),
      await host.terminal.outColumns(),
    )
    : reportText(history, {
      ...await outLooks(host),
      verdicts,
      slots,
    }) + `\n${verdictLines(verdict).join("\n")}\n`;
  await host.terminal.out(text);
  return { code: passes ? EXIT.done : EXIT.no, passes };
}

/** The lock, or its slots. */
function placesOf(site: Site, parsed: ParsedLine): readonly Site[] {
  const slots = slotsOption(parsed, "slots");
  return slots ? openLine(site, slots).slots! : [site];
}

/** What the herd left in the log of the lock, or of a slot. */
interface Part {
  readonly slot: string | null;
  readonly history: History;
  readonly holdsNow: string | null;
}

/** Of slots: all of them as one. */
function reportOf(
  parts: readonly Part[],
): { history: History; verdicts: Verdicts; slots: readonly SlotReport[] | null } {
  const [{ slot, history, holdsNow }] = parts as [Part];
  if (slot === null) return { history, verdicts: verdictsOf(history, holdsNow), slots: null };
  const ofSlots = parts.map(({ slot, history }) => ({ slot: slot!, history }));
  const all = joinSlots(ofSlots, new HistoryReader().finish());
  const slots = judgeSlots(all, ofSlots, new Map(parts.map((one) => [one.slot!, one.holdsNow])));
  return { history: all, verdicts: verdictsOfSlots(all, slots), slots };
}

function announcement(site: Site, { agents, rounds, holdMs }: Plan): string {
  const each = rounds === 1 ? "" : `, ${rounds} times each`;
  return `${countOf(agents, "agent")} for ${showDuration(holdMs)}${each} at ${site.paths.lock}: ${
    showDuration(agents * rounds * holdMs)
  } at the least`;
}

/** Leaves room in a slug's 64 characters for the agent's number and the process's. */
const HOST_LONGEST = 32;

/** In a folder that others use too, two herds must not have the same names. */
async function slugsOf(host: Host, agents: number, shared: boolean): Promise<string[]> {
  const { pid, machine } = await host.processes.self();
  const where = [...machine.host].slice(0, HOST_LONGEST).join("").replace(/[^\w.-]/g, "_");
  const suffix = shared ? `@${where}.${pid}` : "";
  return Array.from({ length: agents }, (_, index) => `agent-${index + 1}${suffix}`);
}

async function letLoose(
  site: Site,
  host: Host,
  plan: Plan,
  slugs: readonly string[],
): Promise<{ readonly herd: Herd; readonly interrupted: boolean }> {
  const own = await host.commands.ownProgram();
  const part = [own.program, ...own.args, HERD_PART, String(Math.round(plan.holdMs))];
  let interrupted = false;
  // A signal goes on to all that run, and no round begins after it.
  const commands: Starter = {
    terminalSignalsCommand: () => host.commands.terminalSignalsCommand(),
    start: (command, onSignal) =>
      host.commands.start(command, (signal) => {
        interrupted = true;
        onSignal(signal);
      }),
  };
  const codes: number[] = [];
  const agent = async (slug: string) => {
    const flags = ["--slug", slug, "--dir", site.paths.dir, "--quiet", ...plan.flags];
    const args = [...own.args, "run", ...flags, "--", ...part];
    // Under a hold of this lock ourselves, each of them would go straight through.
    const command = { program: own.program, args, env: { [HELD_VARIABLE]: "" } };
    for (let round = 0; round < plan.rounds && !interrupted; round++) {
      const { code } = await runCommand(commands, command);
      codes.push(code);
      if (code !== EXIT.done) break;
    }
  };
  const beginMs = await host.clock.monotonicMs();
  await Promise.all(slugs.map(agent));
  const tookMs = await host.clock.monotonicMs() - beginMs;
  const planned = slugs.length * plan.rounds;
  return { herd: { slugs, planned, codes, tookMs }, interrupted };
}

/** The others that hold the lock at this moment: their hold has no end yet, and is no leak. */
async function strangerHolding(
  site: Site,
  { holds }: History,
  slugs: readonly string[],
): Promise<string | null> {
  const last = holds.count === 0 ? null : holds.at(holds.count - 1);
  if (last?.end !== "open" || slugs.includes(last.slug)) return null;
  const stands = (await site.sys.files.entry(site.paths.lock))?.kind === "folder";
  return stands ? last.slug : null;
}

/** As docs/json.md has it. */
function herdObject(
  site: Site,
  history: History,
  about: Pick<ReportAbout, "verdicts" | "slots">,
  herd: Herd,
  { passes, text, details }: Verdict,
  pass: boolean,
): unknown {
  const runs = {
    pass: passes,
    text,
    details,
    planned: herd.planned,
    through: runsThrough(herd),
    logged: loggedHolds(history, herd),
    took_ms: Math.round(herd.tookMs),
  };
  const report = reportObject(history, about);
  return { pass, lock: site.paths.lock, runs, report };
}

/**
 * What each agent does while it holds the lock: nothing, for a while. A command of ours, hidden from help,
 * because `sleep` is not there on every system and takes no fractions on some.
 * @param args how long, in milliseconds
 */
export async function herdPart(args: readonly string[], host: Host): Promise<number> {
  const [ms = ""] = args;
  if (args.length !== 1 || !/^\d{1,15}$/.test(ms)) {
    throw new UsageError(`${HERD_PART} is a part of herd, and is started by it alone`);
  }
  await host.clock.sleep(Number(ms));
  return EXIT.done;
}
