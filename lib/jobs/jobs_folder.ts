/**
 * Where jobs are kept: a folder for each, with `job.json`, what it wrote (`out`, `err`), and `alive`. Of that the
 * submitter has a shared file lock until the job is in line, and the job's wrapper for as long as it lives: an
 * exclusive one is granted when nobody will do anything for the job any more.
 *
 * Guarantee: `job.json` is read whole or not at all. Not guaranteed: that the folder stands; anybody may delete it, and
 * the job runs on without.
 */

import { UsageError } from "../lock/failures.ts";
import { FileFault } from "../sys/faults.ts";
import type { Closable, Sys } from "../sys/sys.ts";
import { isJobId, type Job, parseJob } from "./job.ts";

/** A job has a few hundred bytes beside its command line, which is cut at four thousand characters. */
const LARGEST_BYTES = 64 * 1024;

const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 5;

export class JobsFolder {
  readonly #sys: Pick<Sys, "files" | "clock" | "random">;
  readonly #path: string;

  /**
   * @param path of the folder for all jobs, absolute; its parent need not stand
   * @throws UsageError for a lock that keeps no jobs
   */
  constructor(sys: Pick<Sys, "files" | "clock" | "random">, path: string | null) {
    if (path === null) throw new UsageError("a lock of this kind keeps no jobs");
    this.#sys = sys;
    this.#path = path;
  }

  folderOf(id: string): string {
    return `${this.#path}/${id}`;
  }

  outOf(id: string): string {
    return `${this.folderOf(id)}/out`;
  }

  errOf(id: string): string {
    return `${this.folderOf(id)}/err`;
  }

  /**
   * Makes the folder of a new job, and all that is in it.
   * @return what shows that somebody is about to start it; to be closed once it is in line
   * @throws FileFault
   */
  async make(job: Job): Promise<Closable | null> {
    const { files } = this.#sys;
    const state = this.#path.slice(0, this.#path.lastIndexOf("/"));
    for (const path of [state, this.#path]) {
      await files.makeFolder(path).catch(unless("EEXIST"));
    }
    await files.makeFolder(this.folderOf(job.id));
    for (const name of ["out", "err", "alive"]) {
      await files.create(`${this.folderOf(job.id)}/${name}`, "");
    }
    const life = await this.showLife(job.id);
    await this.write(job);
    return life;
  }

  /** @throws FileFault, with ENOENT if the folder was deleted */
  async write(job: Job): Promise<void> {
    const { files, random } = this.#sys;
    const folder = this.folderOf(job.id);
    const scratch = `${folder}/.new-${await random.token()}`;
    await files.create(scratch, JSON.stringify(job));
    try {
      await files.rename(scratch, `${folder}/job.json`);
    } catch (fault) {
      await files.removeFile(scratch).catch(() => false);
      throw fault;
    }
  }

  /** @return null if there is no such job, or no longer */
  async read(id: string): Promise<Job | null> {
    const path = `${this.folderOf(id)}/job.json`;
    const content = await this.#sys.files.read(path, LARGEST_BYTES).catch(() => null);
    return content && parseJob(content.text);
  }

  /** All jobs that can be read, the oldest first. */
  async all(): Promise<Job[]> {
    const names = await this.#sys.files.list(this.#path).catch(() => null) ?? [];
    const jobs = await Promise.all(names.filter(isJobId).map((id) => this.read(id)));
    return jobs.filter((job) => job !== null).sort((a, b) => a.submittedAt - b.submittedAt);
  }

  /** Shows that something will still be done for the job, until this process ends or this is closed. */
  async showLife(id: string): Promise<Closable | null> {
    const file = await this.#sys.files.open(`${this.folderOf(id)}/alive`).catch(() => null);
    // Somebody who asks whether we live has it for microseconds.
    for (let tries = 0; await file?.tryLock("shared") === "held" && tries < LOCK_TRIES; tries++) {
      await this.#sys.clock.sleep(LOCK_PAUSE_MS);
    }
    return file;
  }

  /** Whether anybody will still do anything for it. `unknown` where file locks tell nothing. */
  async life(id: string): Promise<"alive" | "gone" | "unknown"> {
    const file = await this.#sys.files.open(`${this.folderOf(id)}/alive`).catch(() => null);
    if (!file) return "unknown";
    try {
      const answer = await file.tryLock("exclusive");
      return answer === "held" ? "alive" : answer === "granted" ? "gone" : "unknown";
    } finally {
      await file.close();
    }
  }

  /** Waits until nobody will do anything for it, where file locks tell; for ever where they do not. */
  async ended(id: string): Promise<void> {
    const file = await this.#sys.files.open(`${this.folderOf(id)}/alive`).catch(() => null);
    try {
      await file?.lock("exclusive");
    } catch {
      await new Promise(() => {});
    } finally {
      await file?.close();
    }
  }

  /** Asks a job to end. @throws FileFault */
  async callOff(id: string): Promise<void> {
    await this.#sys.files.create(`${this.folderOf(id)}/cancel`, "").catch(unless("EEXIST"));
  }

  async isCalledOff(id: string): Promise<boolean> {
    return await this.#sys.files.entry(`${this.folderOf(id)}/cancel`).catch(() => null) !== null;
  }

  /** Removes a job's folder. Failing is no matter: the next one tries again. */
  async remove(id: string): Promise<void> {
    const { files } = this.#sys;
    const folder = this.folderOf(id);
    for (const name of await files.list(folder).catch(() => null) ?? []) {
      await files.removeFile(`${folder}/${name}`).catch(() => false);
    }
    await files.removeFolder(folder).catch(() => {});
  }

  /** Removes what has ended long ago, or died: each job says for how long it is kept. */
  async tidy(): Promise<void> {
    const nowMs = await this.#sys.clock.wallMs();
    for (const { id, submittedAt, endedAt, keepMs } of await this.all()) {
      if (nowMs - (endedAt ?? submittedAt) <= keepMs) continue;
      if (endedAt !== null || await this.life(id) === "gone") await this.remove(id);
    }
  }
}

function unless(code: string): (fault: unknown) => void {
  return (fault) => {
    if (!(fault instanceof FileFault) || fault.code !== code) throw fault;
  };
}
