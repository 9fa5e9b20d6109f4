/** `report`: what a log tells: who held when, whether two ever held at once, and how the time went. */

import { parseDurationMs } from "../../words/durations.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { FolderUnusable, NoInput, NoLog, UsageError } from "../../lock/failures.ts";
import { FileFault, isFullCode } from "../../sys/faults.ts";
import { HistoryReader } from "../../log/history.ts";
import type { History, HistoryFilter } from "../../log/history_summary.ts";
import { showForeign } from "../../words/slugs.ts";
import { DIR_VARIABLE } from "../../lock/variables.ts";
import { NEVER_STALE_MS } from "../../lock/times.ts";
import type { LockService } from "../../lock/service.ts";
import type { StatusView } from "../../lock/views.ts";
import { joinSlots, type SlotHistory } from "../../log/slots_history.ts";
import { type Waits, WaitsReader } from "../../log/waits.ts";
import { reportHtml } from "../../report/page/html.ts";
import { reportJson } from "../../report/json.ts";
import { reportSvg } from "../../report/picture/svg.ts";
import { reportText } from "../../report/text.ts";
import { judgeSlots, type SlotReport, verdictsOfSlots } from "../../report/slots.ts";
import { type Verdicts, verdictsOf } from "../../report/verdicts.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { documentPath } from "../options.ts";
import { type FlagName } from "../commands.ts";
import { outLooks, say } from "../say.ts";
import { lockOption, type OpenLock } from "../which_lock.ts";

/** Stands for standard input. A file that really has this name is called `./-`. */
const INPUT = "-";

export async function reportCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const nowMs = await host.clock.wallMs();
  const filter = {
    sinceMs: momentOption(parsed, "since", nowMs),
    untilMs: momentOption(parsed, "until", nowMs),
    slug: parsed.values.slug ?? null,
  };
  const [given] = parsed.operands;
  const isInput = given === INPUT;
  const path = given === undefined || isInput ? null : documentPath(given, host.environment);
  await refuseOverLog(parsed, host, path);
  const isOwn = !isInput && (path === null || path === ownLog(parsed, host));
  const read = isOwn
    ? await readLive(await openLock(parsed, host), host, filter)
    : await readCopy(host, path, filter);
  refuseOther(read, isOwn);
  const verdicts = read.slots
    ? verdictsOfSlots(read.history, read.slots)
    : verdictsOf(read.history, read.holdsNow);
  await write(parsed, host, read, verdicts);
  return verdicts.pass ? EXIT.done : EXIT.no;
}

/** A log cannot be made anew: neither what is read nor this lock's own is written over, by whatever name. */
async function refuseOverLog(
  parsed: ParsedLine,
  host: Host,
  source: string | null,
): Promise<void> {
  const logs = [source, ownLog(parsed, host)].filter((path) => path !== null);
  for (const flag of ["svg", "html"] as const) {
    const given = parsed.values[flag];
    if (given === undefined) continue;
    const target = documentPath(given, host.environment);
    for (const log of logs) {
      if (target !== log && !await host.documents.isSame(target, log)) continue;
      throw new UsageError(
        `--${flag} ${showForeign(given)} would be written over the log; name another file`,
      );
    }
  }
  const { svg, html } = parsed.values;
  if (svg === undefined || html === undefined) return;
  if (documentPath(svg, host.environment) !== documentPath(html, host.environment)) return;
  throw new UsageError(`--svg and --html both name ${showForeign(svg)}; give each a file`);
}

/**
 * No verdict is given on what is no log: packed, say, or in UTF-16. A lock's own log may be empty, as nobody has used
 * the lock yet; a copy that is empty has failed.
 */
function refuseOther({ history, source }: ReadLog, isOwn: boolean): void {
  const { wholeLines, broken, lines } = history;
  if (wholeLines === 0 && (broken.count > 0 || !isOwn)) throw new NoLog(source, lines);
}

/** @return null where the lock that is meant if none is named cannot be found */
function ownLog(parsed: ParsedLine, { environment }: Host): string | null {
  const inEnvironment = environment.workingFolder !== null && environment.get(DIR_VARIABLE) !== "";
  return inEnvironment || parsed.values.dir !== undefined
    ? lockOption(parsed, environment).log
    : null;
}

interface ReadLog {
  readonly history: History;
  /** Path of the log, absolute, or in words what it is. */
  readonly source: string;
  readonly isThere: boolean;
  /** The hold that stands open at the end of a live log is no leak. */
  readonly holdsNow: string | null;
  /** From the journal; null for a copy of a log, or where there is none. */
  readonly waits: Waits | null;
  /** Of a lock with slots: each of them. */
  readonly slots: readonly SlotReport[] | null;
}

/**
 * A log given by name is somebody's copy: what it leaves open is not being held here and now.
 * @param path null for standard input
 */
async function readCopy(
  { documents }: Host,
  path: string | null,
  filter: HistoryFilter,
): Promise<ReadLog> {
  const reader = new HistoryReader(filter);
  const feed = (text: string) => reader.feed(text);
  const source = path ?? "standard input";
  try {
    await (path === null ? documents.readInput(feed) : documents.read(path, feed));
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    if (fault.code === "EISDIR") throw new NoLog(source, "folder");
    if (fault.code === "EIO") throw documentFailure(source, fault);
    throw new NoInput(source, fault.reason);
  }
  const history = reader.finish();
  return { history, source, isThere: true, holdsNow: null, waits: null, slots: null };
}

/** On a lock that changes hands faster than its log can be read, the last look counts. */
const LOOKS = 5;

async function readLive(
  service: LockService,
  host: Host,
  filter: HistoryFilter,
): Promise<ReadLog> {
  const waits = await readWaits(service, filter);
  if (service.slots) return { ...await readSlots(service, service.slots, host, filter), waits };
  return { ...await readOne(service, host, filter), waits, slots: null };
}

/** Each slot by its own log; and who gave up, by that of their line. */
async function readSlots(
  service: LockService,
  names: readonly string[],
  host: Host,
  filter: HistoryFilter,
): Promise<Omit<ReadLog, "waits">> {
  const line = new HistoryReader(filter);
  const source = service.lock;
  let isThere = await asDocument(service.log, () => service.readLog((text) => line.feed(text)));
  const slots: SlotHistory[] = [];
  const holdsNow = new Map<string, string | null>();
  // One look at all of them is mostly enough.
  const seen = await service.status(NEVER_STALE_MS);
  for (const slot of names) {
    const one = await readOne(service, host, filter, slot, seen);
    isThere ||= one.isThere;
    slots.push({ slot, history: one.history });
    holdsNow.set(slot, one.holdsNow);
  }
  const atMs = await host.clock.wallMs();
  const history = joinSlots(slots, line.finish({ atMs, holder: null }));
  return { history, source, isThere, holdsNow: null, slots: judgeSlots(history, slots, holdsNow) };
}

/** Log and holder are to be of one moment: while the log grows between the two, both are looked at again. */
async function readOne(
  service: LockService,
  { clock }: Host,
  filter: HistoryFilter,
  slot?: string,
  seen?: StatusView,
): Promise<Omit<ReadLog, "waits" | "slots">> {
  const source = service.log;
  for (let looks = 1, lines = -1;; looks++) {
    const reader = new HistoryReader(filter);
    const isThere = await asDocument(
      source,
      () => service.readLog((text) => reader.feed(text), slot),
    );
    const status = (looks === 1 ? seen : null) ?? await service.status(NEVER_STALE_MS);
    const holdsNow = whoHolds(status, slot);
    const history = reader.finish({ atMs: await clock.wallMs(), holder: holdsNow });
    const last = history.holds.count === 0 ? null : history.holds.at(history.holds.count - 1);
    const isSettled = last?.end !== "open" || last.slug === holdsNow;
    if (isSettled || looks === LOOKS || history.lines === lines) {
      return { history, source, isThere, holdsNow };
    }
    lines = history.lines;
  }
}

async function readWaits(service: LockService, filter: HistoryFilter): Promise<Waits | null> {
  const reader = new WaitsReader();
  return await service.readJournal((text) => reader.feed(text)) ? reader.finish(filter) : null;
}

function whoHolds(status: StatusView, slot?: string): string | null {
  const held = slot === undefined
    ? status.held
    : status.slots?.find((one) => one.slot === slot)?.held;
  return held?.verdict.state === "held" ? held.holder.slug : null;
}

async function write(
  parsed: ParsedLine,
  host: Host,
  { history, source, isThere, waits, slots }: ReadLog,
  verdicts: Verdicts,
): Promise<void> {
  const noLogAt = isThere ? null : source;
  const { svg, html } = parsed.values;
  const isQuiet = parsed.set.has("quiet");
  const keep = async (path: string, text: string) => {
    const written = await writeTo(host, path, text);
    if (!isQuiet) await say(host, (messages) => messages.wrote(written));
  };
  if (svg !== undefined) await keep(svg, reportSvg(history, verdicts, noLogAt));
  if (html !== undefined) {
    await keep(html, reportHtml(history, { source, verdicts, noLogAt, waits }));
  }
  const text = parsed.set.has("json")
    ? reportJson(history, { verdicts, noLogAt, waits, slots }, await host.terminal.outColumns())
    : reportText(history, { ...await outLooks(host), verdicts, noLogAt, waits, slots });
  await host.terminal.out(text);
}

/** @return where to, absolute */
async function writeTo(host: Host, path: string, text: string): Promise<string> {
  const written = documentPath(path, host.environment);
  await asDocument(path, () => host.documents.write(written, text));
  return written;
}

/** A name may be wrong; a disk that is full has nothing to do with it. */
async function asDocument<T>(path: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (fault) {
    throw fault instanceof FileFault ? documentFailure(path, fault) : fault;
  }
}

function documentFailure(path: string, { code, operation, reason }: FileFault): FolderUnusable {
  const kind = isFullCode(code) || code === "EIO" ? "io" : "document";
  return new FolderUnusable(path, { kind, operation, reason });
}

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(?:Z|([+-]\d\d):?(\d\d))?$/;

/** @return milliseconds since 1970, NaN if it is no moment. Log and report are in UTC: so is a time without a zone */
function parseMoment(text: string): number {
  const [, day, time = "00:00", hours = "+00", minutes = "00"] = MOMENT.exec(text) ?? [];
  // The 31st of a month that has 30 days would be read as the next day.
  const isDay = new Date(`${day}T00:00Z`).toJSON()?.startsWith(day ?? "-") ?? false;
  return isDay ? Date.parse(`${day}T${time}${hours}:${minutes}`) : NaN;
}

/** A moment as the log writes it, or how long ago. */
function momentOption(parsed: ParsedLine, name: FlagName, nowMs: number): number | null {
  const given = parsed.values[name];
  if (given === undefined) return null;
  const agoMs = parseDurationMs(given);
  if (agoMs !== null) return nowMs - agoMs;
  const atMs = parseMoment(given);
  if (!Number.isNaN(atMs)) return atMs;
  throw new UsageError(
    `--${name} "${
      showForeign(given)
    }" is no moment: 2026-08-22T23:05:52Z, 2026-08-22, or how long ago, such as 2h`,
  );
}
