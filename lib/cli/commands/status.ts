/** `status`: who holds the lock, why it counts as held or stale, and who waits. */

import { EXIT } from "../../lock/exit_codes.ts";
import { STALE_FLOOR_MS } from "../../lock/times.ts";
import { statusJson, statusText } from "../../report/status_text.ts";
import { JobsFolder } from "../../jobs/jobs_folder.ts";
import { jobJson, jobLines } from "../wording/job_text.ts";
import type { Host } from "../../sys/sys.ts";
import type { ParsedLine } from "../command_line.ts";
import { durationOption } from "../options.ts";
import type { OpenLock } from "../which_lock.ts";

export async function statusCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const staleMs = durationOption(parsed, "stale", STALE_FLOOR_MS);
  const service = await openLock(parsed, host);
  const status = await service.status(staleMs);
  const nowMs = await host.clock.wallMs();
  const jobs = service.jobs === null ? [] : await new JobsFolder(host, service.jobs).all();
  const text = parsed.set.has("json")
    ? statusJson(status, jobs.map(jobJson), await host.terminal.outColumns())
    : [statusText(status, nowMs).trimEnd(), ...jobLines(jobs, nowMs), ""].join("\n");
  await host.terminal.out(text);
  return EXIT.done;
}
