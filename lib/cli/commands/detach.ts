/** `run --detach`: submits a job, and lets go of it. */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import { JobRefused } from "../../lock/job_failures.ts";
import { HELD_VARIABLE } from "../../lock/variables.ts";
import type { LockService } from "../../lock/service.ts";
import { type Job, jobIdOf } from "../../jobs/job.ts";
import { JobsFolder } from "../../jobs/jobs_folder.ts";
import { keptOfCommand } from "../../lock/command.ts";
import { FileFault } from "../../sys/faults.ts";
import type { Closable, Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { durationOption } from "../options.ts";
import { JOB_PART } from "./job_part.ts";

/** Between two looks whether the job has begun to wait. */
const LOOK_EVERY_MS = 2;
/** A job that is not in line by then is on a share that does not answer. */
const IN_LINE_WITHIN_MS = 30_000;

/** @return once the job is in line */
export async function submit(
  service: LockService,
  parsed: ParsedLine,
  host: Host,
  slug: string,
): Promise<number> {
  if (parsed.set.has("die-with-parent")) {
    throw new UsageError(
      "--detach lets go of its caller, and --die-with-parent does not: drop one",
    );
  }
  const jobs = new JobsFolder(host, service.jobs);
  const job = await newJob(parsed, host, slug);
  const starting = start(service, parsed, host, jobs, job);
  // Words are loaded while the job starts.
  const [{ submitted, submittedJson }, { lockFlags }, begun] = await Promise.all([
    import("../wording/job_text.ts"),
    import("../wording/messages.ts"),
    starting,
  ]);
  const flags = lockFlags(parsed.values);
  const text = parsed.set.has("json")
    ? `${submittedJson(begun, service.lock, flags)}\n`
    : `${submitted(begun, service.lock, flags)}\n`;
  await host.terminal.out(text);
  // Last: nobody waits for it.
  await jobs.tidy();
  return EXIT.done;
}

async function newJob(parsed: ParsedLine, { random, clock }: Host, slug: string): Promise<Job> {
  const { note } = parsed.values;
  return {
    id: jobIdOf(await random.token()),
    slug,
    ...(note !== undefined && { note }),
    command: keptOfCommand(parsed.userCommand ?? []),
    state: "submitted",
    place: null,
    pid: null,
    childPid: null,
    submittedAt: await clock.wallMs(),
    startedAt: null,
    endedAt: null,
    code: null,
    cancelled: false,
    keepMs: durationOption(parsed, "keep", 0),
  };
}

/** @throws JobRefused if it does not come to wait: then it runs nothing */
async function start(
  service: LockService,
  parsed: ParsedLine,
  host: Host,
  jobs: JobsFolder,
  job: Job,
): Promise<Job> {
  const { id } = job;
  let life: Closable | null;
  try {
    life = await jobs.make(job);
  } catch (fault) {
    await jobs.remove(id);
    if (!(fault instanceof FileFault)) throw fault;
    throw new JobRefused(service.lock, `${fault.path}: ${fault.reason}`);
  }
  const { program, args } = await host.commands.ownProgram();
  const child = await host.commands.startDetached({
    program,
    args: [...args, JOB_PART, id, ...lineOf(parsed)],
    // A hold of ours is not the job's: it outlives it.
    env: { [HELD_VARIABLE]: "" },
  }, { out: jobs.outOf(id), err: jobs.errOf(id) });
  let hasEnded = false;
  void child.ended.then(() => hasEnded = true);
  const sinceMs = await host.clock.monotonicMs();
  for (;;) {
    // Asked before the look: what it wrote before its end is then seen.
    const isOver = hasEnded;
    const seen = await jobs.read(id);
    if (seen && seen.state !== "submitted") {
      await life?.close();
      return seen;
    }
    const isLate = await host.clock.monotonicMs() - sinceMs > IN_LINE_WITHIN_MS;
    if (isLate) await child.signal("SIGTERM");
    if (isOver || isLate) return await refuse(service, host, jobs, id, isOver);
    await host.clock.sleep(LOOK_EVERY_MS);
  }
}

async function refuse(
  service: LockService,
  { files }: Host,
  jobs: JobsFolder,
  id: string,
  isOver: boolean,
): Promise<never> {
  const said = (await files.readTail(jobs.errOf(id), 1000).catch(() => null) ?? "").trim();
  // One that only begins later finds nothing to be, and ends.
  await jobs.remove(id);
  const last = said.split("\n").at(-1)!.replace(/^lock_folder_util: /, "");
  const why = isOver ? last || "it ended before it was in line" : "it is not in line after 30s";
  throw new JobRefused(service.lock, why);
}

/** The line of the job: as given, but that it stays, and says nothing about its wait. */
function lineOf({ values, names = [], set, userCommand }: ParsedLine): string[] {
  const flags = [
    ...Object.entries(values).filter(([name]) => name !== "keep"),
    ...names.slice(1).map((name) => ["name", name]),
  ];
  return [
    "run",
    ...flags.map(([name, value]) => `--${name}=${value}`),
    ...values["keep-place"] === undefined ? ["--keep-place=0"] : [],
    ...set.has("quiet") ? [] : ["--quiet"],
    "--",
    ...userCommand ?? [],
  ];
}
