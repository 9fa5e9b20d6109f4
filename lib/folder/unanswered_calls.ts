/**
 * The file calls of a waiter on a share, which may leave any of them without an answer.
 *
 * Guarantee: a call is answered, or given up on with ETIMEDOUT after a limit. Not guaranteed: that a call which was
 * given up on is not carried out later. So a late effect must do no harm: what is opened too late is closed, and
 * what changes the lock itself is never given up on. An mkdir that is answered late still grants, and a late rmdir
 * would remove the lock of another. For the same reason a waiter breaks a lock with calls that have no limit.
 */

import { faultCode, FileFault } from "../sys/faults.ts";
import { showDuration } from "../words/durations.ts";
import type { Clock, Closable, Files } from "../sys/sys.ts";
import { FolderClock } from "./verdict/folder_clock.ts";
import type { Site } from "./site.ts";

/** The code of a call that was given up on; a share may answer so itself. */
const NO_ANSWER = "ETIMEDOUT";

/** A healthy share answers in milliseconds, one that changes its server in seconds. */
export const ANSWER_WITHIN_MS = 10_000;

/** A silent share is asked again this soon: each call that it owes takes a thread. */
export const SILENT_PAUSE_MS = 1000;

/** Each unanswered call keeps a thread of the run-time, of which Windows has four a processor. */
const MOST_UNANSWERED = 4;

export function isUnanswered(
  thrown: unknown,
): thrown is FileFault & { readonly code: typeof NO_ANSWER } {
  return faultCode(thrown) === NO_ANSWER;
}

function unanswered(operation: string, path: string, limitMs: number): FileFault {
  return new FileFault(NO_ANSWER, operation, path, `no answer within ${showDuration(limitMs)}`);
}

/** The same lock, for looking at it and waiting for it: its calls are given up on after the limit. */
export function siteOfWaiter(site: Site, answerWithinMs: number): Site {
  const files = filesInTime(site.sys.files, site.sys.clock, site.paths.lock, answerWithinMs);
  const sys = { ...site.sys, files };
  const slots = site.slots?.map((slot) => siteOfWaiter(slot, answerWithinMs));
  const clock = new FolderClock(sys, site.paths);
  return { ...site, sys, clock, patient: site, ...(slots && { slots }) };
}

/**
 * Waits for a call that is never given up on, until it is answered or the wait is over. It is given the limit of
 * one call even after that.
 * @param deadlineMs on the monotonic clock; null waits for ever
 * @param onSilent called when the limit of one call is over
 * @throws FileFault with ETIMEDOUT when the wait is over: the call is still under way then
 */
export async function untilAnswered<T>(
  clock: Clock,
  answer: Promise<T>,
  { answerWithinMs, deadlineMs, onSilent }: {
    readonly answerWithinMs: number;
    readonly deadlineMs: number | null;
    readonly onSilent: () => Promise<void>;
  },
  call: { readonly operation: string; readonly path: string },
): Promise<T> {
  const startMs = await clock.monotonicMs();
  const early = await inTime(clock, answer, answerWithinMs);
  if (early !== LATE) return early;
  await onSilent();
  if (deadlineMs === null) return await answer;
  const leftMs = deadlineMs - await clock.monotonicMs();
  const late = leftMs <= 0 ? LATE : await inTime(clock, answer, leftMs);
  if (late !== LATE) return late;
  throw unanswered(call.operation, call.path, await clock.monotonicMs() - startMs);
}

const LATE = Symbol("late");

async function inTime<T>(
  clock: Clock,
  answer: Promise<T>,
  limitMs: number,
): Promise<T | typeof LATE> {
  const over = new AbortController();
  answer.catch(() => {});
  try {
    return await Promise.race([answer, clock.sleep(limitMs, over.signal).then(() => LATE)]) as T;
  } finally {
    over.abort();
  }
}

/** The site whose calls are not given up on. */
export function patiently(site: Site): Site {
  return site.patient ?? site;
}

/** Calls with a limit, and not too many of them at once. */
class Calls {
  #unanswered = 0;

  constructor(readonly clock: Clock, readonly limitMs: number) {}

  /** A share that owes an answer already is not given the whole limit again: an end must come in sight. */
  get #limitMs(): number {
    return this.#unanswered === 0 ? this.limitMs : this.limitMs / 4;
  }

  /** @param onLate what to do with an answer that comes after the call was given up on */
  async run<T>(
    operation: string,
    path: string,
    call: () => Promise<T>,
    onLate: (answer: T) => unknown = () => {},
  ): Promise<T> {
    const limitMs = this.#limitMs;
    if (this.#unanswered >= MOST_UNANSWERED) throw unanswered(operation, path, limitMs);
    const answer = call();
    const early = await inTime(this.clock, answer, limitMs);
    if (early !== LATE) return early as T;
    this.#unanswered++;
    void answer.then(onLate).catch(() => {}).finally(() => this.#unanswered--);
    throw unanswered(operation, path, limitMs);
  }
}

/** @param lockPath what changes this is never given up on */
function filesInTime(files: Files, clock: Clock, lockPath: string, limitMs: number): Files {
  const calls = new Calls(clock, limitMs);
  const close = (opened: Closable | null) => opened?.close();
  return {
    entry: (path) => calls.run("stat", path, () => files.entry(path)),
    list: (path) => calls.run("list", path, () => files.list(path)),
    makeFolder: (path, mode) => {
      if (path === lockPath) return files.makeFolder(path, mode);
      return calls.run("mkdir", path, () => files.makeFolder(path, mode));
    },
    removeFolder: (path) => {
      if (path === lockPath) return files.removeFolder(path);
      return calls.run("rmdir", path, () => files.removeFolder(path));
    },
    removeFile: (path) => calls.run("remove", path, () => files.removeFile(path)),
    read: (path, maxBytes) => calls.run("read", path, () => files.read(path, maxBytes)),
    readTail: (path, maxBytes) => calls.run("read", path, () => files.readTail(path, maxBytes)),
    create: (path, text) => calls.run("create", path, () => files.create(path, text)),
    overwrite: (path, text) => calls.run("write", path, () => files.overwrite(path, text)),
    rename: (from, to) => calls.run("rename", from, () => files.rename(from, to)),
    setMtime: (path, mtimeMs) => {
      if (path === lockPath) return files.setMtime(path, mtimeMs);
      return calls.run("utime", path, () => files.setMtime(path, mtimeMs));
    },
    append: (path, line) => calls.run("append", path, () => files.append(path, line)),
    openNew: (path, text) => calls.run("create", path, () => files.openNew(path, text), close),
    open: (path) => calls.run("open", path, () => files.open(path), close),
    watch: (path, onChange) => calls.run("watch", path, () => files.watch(path, onChange), close),
  };
}
