/** A job on its own side: a `run` like any other, that tells its folder how far it is. */

import type { Job } from "../../jobs/job.ts";
import { JobsFolder } from "../../jobs/jobs_folder.ts";
import { EXIT } from "../../lock/exit_codes.ts";
import { JobCancelled } from "../../lock/job_failures.ts";
import { FileFault } from "../../sys/faults.ts";
import type { Host } from "../../sys/sys.ts";
import type { Caller } from "../caller.ts";
import { parseCommandLine } from "../command_line.ts";
import { type OpenLock, withSharedDir } from "../which_lock.ts";

/** First word of a copy of this program that is a job. */
export const JOB_PART = "job-part";

/** This very program, on a line of its own. */
export type OwnLine = (args: readonly string[], caller: Caller) => Promise<number>;

/** @param args the job's id, and then its line */
export async function jobPart(
  [id = "", ...args]: readonly string[],
  host: Host,
  openLock: OpenLock,
  ownLine: OwnLine,
): Promise<number> {
  const parsed = await withSharedDir(parseCommandLine(args), host);
  const jobs = new JobsFolder(host, (await openLock(parsed, host)).jobs);
  const job = await jobs.read(id);
  // Called off, or deleted, before it began.
  if (job === null) return EXIT.no;
  const { pid } = await host.processes.self();
  // Kept to the end of this program: the system lets go of it then.
  const life = await jobs.showLife(id);
  const keeper = new JobKeeper(jobs, host, job, pid);
  const code = await ownLine(args, keeper);
  await keeper.ended(code);
  await life?.close();
  return code;
}

/** How a job asks whether it is called off: as often as a caller is asked for. */
const ASK_EVERY_MS = 500;

/** What stands in a caller's place for a job: it is told how far the job is, and says when to end. */
export class JobKeeper implements Caller {
  readonly #gone = new AbortController();
  readonly #over = new AbortController();
  readonly gone = this.#gone.signal;
  #job: Job;

  constructor(readonly jobs: JobsFolder, readonly host: Host, job: Job, pid: number) {
    this.#job = { ...job, pid };
    void this.#keepAsking();
  }

  async #keepAsking(): Promise<void> {
    while (!this.#over.signal.aborted) {
      await this.host.clock.sleep(ASK_EVERY_MS, this.#over.signal);
      if (!this.#over.signal.aborted) await this.ask();
    }
  }

  async ask(): Promise<void> {
    if (this.gone.aborted || !await this.jobs.isCalledOff(this.#job.id)) return;
    this.#job = { ...this.#job, cancelled: true };
    this.#gone.abort(new JobCancelled(this.#job.id));
  }

  close(): void {
    this.#over.abort();
  }

  async began(place: number): Promise<void> {
    await this.#tell({ state: "waiting", place });
  }

  async granted(): Promise<void> {
    await this.#tell({ state: "running", startedAt: await this.host.clock.wallMs() });
  }

  async started(childPid: number): Promise<void> {
    await this.#tell({ childPid }).catch(() => {});
  }

  async ended(code: number): Promise<void> {
    this.close();
    const endedAt = await this.host.clock.wallMs();
    await this.#tell({ state: "ended", endedAt, code, command: [] }).catch(() => {});
  }

  /** @throws FileFault if it cannot be written; not if its folder was deleted: then the job runs on without */
  async #tell(change: Partial<Job>): Promise<void> {
    this.#job = { ...this.#job, ...change };
    try {
      await this.jobs.write(this.#job);
    } catch (fault) {
      if (!(fault instanceof FileFault) || fault.code !== "ENOENT") throw fault;
    }
  }
}
