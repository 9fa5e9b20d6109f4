/** `status`: who holds the lock, why it counts as held or stale, and who waits. */

import { EXIT } from "../../lock/exit_codes.ts";
import { UsageError } from "../../lock/failures.ts";
import type { LockService } from "../../lock/service.ts";
import { STALE_FLOOR_MS } from "../../lock/times.ts";
import { statusObject, statusText } from "../../report/status_text.ts";
import { JobsFolder } from "../../jobs/jobs_folder.ts";
import { jobJson, jobLines } from "../wording/job_text.ts";
import type { Host } from "../../sys/sys.ts";
import { jsonText } from "../../words/json.ts";
import type { ParsedLine } from "../command_line.ts";
import { durationOption } from "../options.ts";
import type { OpenLock } from "../which_lock.ts";

/** As often as its whole seconds change. */
const WATCH_EVERY_MS = 1000;
/** To the upper left corner, and all below it gone. */
const CLEAR = "\x1b[H\x1b[J";

export async function statusCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const staleMs = durationOption(parsed, "stale", STALE_FLOOR_MS);
  const look = () => textOf(parsed, host, openLock, staleMs);
  if (!parsed.set.has("watch")) {
    await host.terminal.out(await look());
    return EXIT.done;
  }
  if (parsed.set.has("json") || await host.terminal.outColumns() === null) {
    throw new UsageError(
      "--watch is for a terminal; without it status can be asked as often as wanted",
    );
  }
  // Until a signal ends this program.
  for (;;) {
    await host.terminal.out(CLEAR + await look());
    await host.clock.sleep(WATCH_EVERY_MS);
  }
}

async function textOf(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
  staleMs: number,
): Promise<string> {
  const services = await servicesOf(parsed, host, openLock);
  const isJson = parsed.set.has("json");
  const shown = [];
  for (const service of services) shown.push(await lookAt(service, host, staleMs));
  if (!isJson) return shown.map(({ text }) => text).join("\n");
  const objects = shown.map(({ object }) => object);
  const columns = await host.terminal.outColumns();
  return jsonText(parsed.set.has("all") ? { locks: objects } : objects[0], columns);
}

async function servicesOf(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<LockService[]> {
  const named = await openLock(parsed, host);
  if (!parsed.set.has("all")) return [named];
  const names = await named.names();
  return await Promise.all(
    names.map((name) => openLock({ ...parsed, values: { ...parsed.values, name } }, host)),
  );
}

async function lookAt(service: LockService, host: Host, staleMs: number) {
  const status = await service.status(staleMs);
  const jobs = service.jobs === null ? [] : await new JobsFolder(host, service.jobs).all();
  const nowMs = await host.clock.wallMs();
  return {
    object: statusObject(status, jobs.map(jobJson)),
    text: [statusText(status, nowMs).trimEnd(), ...jobLines(jobs, nowMs), ""].join("\n"),
  };
}
