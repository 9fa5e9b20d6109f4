/** `report`: what a log tells: who held when, whether two ever held at once, and how the time went. */

import { parseDurationMs } from "../../words/durations.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { FolderUnusable, NoLog, type Obstacle, UsageError } from "../../lock/failures.ts";
import { FileFault, isFullCode } from "../../sys/faults.ts";
import { HistoryReader } from "../../log/history.ts";
import type { History, HistoryFilter } from "../../log/history_summary.ts";
import { showForeign } from "../../words/slugs.ts";
import { DIR_VARIABLE } from "../../lock/variables.ts";
import { NO_AGE_MS } from "../../folder/verdict/verdict.ts";
import type { Site } from "../../folder/site.ts";
import { lookAtStatus } from "../../folder/visit/status.ts";
import { reportHtml } from "../../report/page/html.ts";
import { reportJson } from "../../report/json.ts";
import { reportSvg } from "../../report/picture/svg.ts";
import { reportText } from "../../report/text.ts";
import { verdictsOf } from "../../report/verdicts.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { type FlagName } from "../commands.ts";
import { line, wrote } from "../wording/messages.ts";
import { documentPath, lockOption } from "../options.ts";
import { outWidth } from "../out_width.ts";
import { siteOf } from "../site_of.ts";

export async function reportCommand(parsed: ParsedLine, host: Host): Promise<number> {
  const nowMs = await host.clock.wallMs();
  const filter = {
    sinceMs: momentOption(parsed, "since", nowMs),
    untilMs: momentOption(parsed, "until", nowMs),
    slug: parsed.values.slug ?? null,
  };
  const [given] = parsed.operands;
  const path = given === undefined ? null : documentPath(given, host.environment);
  await refuseOverLog(parsed, host, path);
  const isOwn = path === null || path === ownLog(parsed, host);
  const read = isOwn ? await readLive(parsed, host, filter) : await readCopy(host, path, filter);
  refuseOther(read);
  await write(parsed, host, read);
  return verdictsOf(read.history, read.holdsNow).pass ? EXIT.done : EXIT.no;
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

/** No verdict is given on a file that is no log: one that is packed, say, or in UTF-16. An empty one may become one. */
function refuseOther({ history, source }: ReadLog): void {
  const { wholeLines, broken, lines } = history;
  if (wholeLines === 0 && broken.count > 0) throw new NoLog(source, lines);
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
  /** Path of the log, absolute. */
  readonly source: string;
  readonly isThere: boolean;
  /** The hold that stands open at the end of a live log is no leak. */
  readonly holdsNow: string | null;
}

/** A log given by name is somebody's copy: what it leaves open is not being held here and now. */
async function readCopy(host: Host, source: string, filter: HistoryFilter): Promise<ReadLog> {
  return { ...await readLog(host, source, false, filter), source, holdsNow: null };
}

/** On a lock that changes hands faster than its log can be read, the last look counts. */
const LOOKS = 5;

/** Log and holder are to be of one moment: while the log grows between the two, both are looked at again. */
async function readLive(parsed: ParsedLine, host: Host, filter: HistoryFilter): Promise<ReadLog> {
  const source = lockOption(parsed, host.environment).log;
  const site = await siteOf(parsed, host);
  const size = async () => (await site.sys.files.entry(source).catch(() => null))?.sizeBytes ?? 0;
  for (let looks = 1;; looks++) {
    const sizeBytes = await size();
    const { history, isThere } = await readLog(host, source, true, filter);
    const holdsNow = await whoHolds(site);
    const last = history.holds.count === 0 ? null : history.holds.at(history.holds.count - 1);
    const isSettled = last?.end !== "open" || last.slug === holdsNow;
    if (isSettled || looks === LOOKS || await size() === sizeBytes) {
      return { history, source, isThere, holdsNow };
    }
  }
}

async function readLog(
  host: Host,
  path: string,
  isOwn: boolean,
  filter: HistoryFilter,
): Promise<Pick<ReadLog, "history" | "isThere">> {
  const reader = new HistoryReader(filter);
  const isThere = await feed(host, path, isOwn, (text) => reader.feed(text));
  return { history: reader.finish(), isThere };
}

/** @return whether there is a log */
async function feed(
  host: Host,
  path: string,
  isOwn: boolean,
  onPiece: (text: string) => void,
): Promise<boolean> {
  try {
    await host.documents.read(path, onPiece);
    return true;
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    // A lock that nobody has used yet has no log: an empty history, and no failure.
    if (isOwn && fault.code === "ENOENT") return false;
    throw new FolderUnusable(path, asDocument(fault));
  }
}

async function whoHolds(site: Site): Promise<string | null> {
  const status = await lookAtStatus(site, NO_AGE_MS);
  return status.held?.verdict.verdict === "held" ? status.held.holder.slug : null;
}

async function write(
  parsed: ParsedLine,
  host: Host,
  { history, source, isThere, holdsNow }: ReadLog,
): Promise<void> {
  const noLogAt = isThere ? null : source;
  const { svg, html } = parsed.values;
  const isQuiet = parsed.set.has("quiet");
  const keep = async (path: string, text: string) => {
    const written = await writeTo(host, path, text);
    if (!isQuiet) await host.terminal.err(line(wrote(written)));
  };
  if (svg !== undefined) await keep(svg, reportSvg(history, holdsNow, noLogAt));
  if (html !== undefined) await keep(html, reportHtml(history, { source, holdsNow, noLogAt }));
  const width = await outWidth(host.terminal);
  const text = parsed.set.has("json")
    ? reportJson(history, holdsNow, noLogAt)
    : reportText(history, { width, holdsNow, noLogAt });
  await host.terminal.out(text);
}

/** @return where to, absolute */
async function writeTo(host: Host, path: string, text: string): Promise<string> {
  const written = documentPath(path, host.environment);
  try {
    await host.documents.write(written, text);
    return written;
  } catch (fault) {
    if (!(fault instanceof FileFault)) throw fault;
    throw new FolderUnusable(path, asDocument(fault));
  }
}

/** A name may be wrong; a disk that is full has nothing to do with it. */
function asDocument({ code, operation, reason }: FileFault): Obstacle {
  if (isFullCode(code) || code === "EIO") return { kind: "io", operation, reason };
  return { kind: "document", operation, reason };
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
