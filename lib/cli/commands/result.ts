/** `result` and `cancel`: what became of a job, and calling it off. */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { NoJob } from "../../lock/job_failures.ts";
import type { LockService } from "../../lock/service.ts";
import { isJobId, type Job, JOB_ID_RULE } from "../../jobs/job.ts";
import { JobsFolder } from "../../jobs/jobs_folder.ts";
import { showForeign } from "../../words/slugs.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { conflictExitCode, durationOption } from "../options.ts";
import { line } from "../wording/line.ts";
import { cancelledWords, jobDied, stillGoesOn, wasCancelled } from "../wording/job_text.ts";
import type { OpenLock } from "../which_lock.ts";

/** A file lock wakes us at the end; where there is none, we look this often. */
const LOOK_EVERY_MS = 1000;
/** Who follows sees each line as soon as a person notices. */
const FOLLOW_EVERY_MS = 100;
/** As long as the end of a command may take, TERM, ten seconds and KILL, and then some. */
const CANCELLED_WITHIN_MS = 20_000;

export async function resultCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const id = jobId(parsed);
  const timeoutMs = parsed.values.timeout === "none"
    ? Infinity
    : durationOption(parsed, "timeout", 0);
  const vainCode = conflictExitCode(parsed);
  const service = await openLock(parsed, host);
  const jobs = new JobsFolder(host, service.jobs);
  const copied = parsed.set.has("follow") ? new Copied(host, jobs, id) : null;
  const job = await lastOf(service, host, jobs, id, timeoutMs, copied);
  await (copied ?? new Copied(host, jobs, id)).copy();
  if (job.state !== "ended") {
    const life = await jobs.life(id);
    const nowMs = await host.clock.wallMs();
    if (life === "gone") {
      const command = job.childPid === null ? null : await host.processes.look(job.childPid);
      await host.terminal.err(line(jobDied(job, service.lock, command?.state ?? null)));
      return EXIT.ioFailed;
    }
    const waiter = (await service.status(Infinity)).queue.find(({ pid }) => pid === job.pid) ??
      null;
    await host.terminal.err(line(stillGoesOn(job, service.lock, waiter, nowMs)));
    return vainCode;
  }
  if (job.cancelled) await host.terminal.err(line(wasCancelled(job)));
  return job.code ?? EXIT.no;
}

export async function cancelCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const id = jobId(parsed);
  const service = await openLock(parsed, host);
  const jobs = new JobsFolder(host, service.jobs);
  const before = await jobOf(service, jobs, id);
  const isOver = before.state === "ended" || await jobs.life(id) === "gone";
  if (!isOver) await jobs.callOff(id);
  const job = isOver ? before : await lastOf(service, host, jobs, id, CANCELLED_WITHIN_MS, null);
  if (!parsed.set.has("quiet")) {
    await host.terminal.err(line(cancelledWords(before, job, isOver)));
  }
  return !isOver && job.state === "ended" ? EXIT.done : EXIT.no;
}

function jobId({ operands: [id], command }: ParsedLine): string {
  if (id === undefined) {
    throw new UsageError(`${command!.name} needs the id of a job: ${JOB_ID_RULE}`);
  }
  if (isJobId(id)) return id;
  throw new UsageError(`"${showForeign(id)}" is no id of a job: ${JOB_ID_RULE}`);
}

async function jobOf({ lock }: LockService, jobs: JobsFolder, id: string): Promise<Job> {
  const job = await jobs.read(id);
  if (job === null) throw new NoJob(lock, id);
  return job;
}

/** Waits for its end. @return the job as it was seen last: not ended if the time is over, or its wrapper died */
async function lastOf(
  service: LockService,
  host: Host,
  jobs: JobsFolder,
  id: string,
  timeoutMs: number,
  copied: Copied | null,
): Promise<Job> {
  const sinceMs = await host.clock.monotonicMs();
  const ended = jobs.ended(id);
  for (;;) {
    // Asked before the look: what it wrote before its end is then seen.
    const life = await jobs.life(id);
    const job = await jobOf(service, jobs, id);
    await copied?.copy();
    const leftMs = sinceMs + timeoutMs - await host.clock.monotonicMs();
    if (job.state === "ended" || life === "gone" || leftMs <= 0) return job;
    const everyMs = copied ? FOLLOW_EVERY_MS : LOOK_EVERY_MS;
    const isOver = new AbortController();
    void ended.then(() => isOver.abort());
    await host.clock.sleep(Math.min(everyMs, leftMs), isOver.signal);
  }
}

/** What a job has written, copied to our own stdout and stderr, each byte once. */
class Copied {
  #out = 0;
  #err = 0;

  constructor(readonly host: Host, readonly jobs: JobsFolder, readonly id: string) {}

  async copy(): Promise<void> {
    const { documents } = this.host;
    this.#out = await documents.copyFrom(this.jobs.outOf(this.id), this.#out, "out");
    this.#err = await documents.copyFrom(this.jobs.errOf(this.id), this.#err, "err");
  }
}
