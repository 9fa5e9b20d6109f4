/**
 * Going through a hold once, on a lock of our own, while there is nothing to do but wait.
 *
 * A program that has just started runs each function for the first time, which costs ten times what it costs
 * later: three quarters of a hand-off were that. A waiter has the time, and the lock then changes hands
 * in half of it. Only on disks of this machine: over a network it would be traffic.
 */

import { lockPaths, rehearsalFolder } from "../state/layout.ts";
import { acquire } from "../acquire.ts";
import { removeScratchFolder } from "../state/state_files.ts";
import type { Site } from "../site.ts";
import type { AcquireRequest } from "../../lock/request.ts";
import { openSite } from "../open_site.ts";

/** The second time is already as quick as it gets. */
const TIMES = 2;

export class Rehearsal {
  readonly #site: Site;
  readonly #request: AcquireRequest;
  #done: Promise<void> | null = null;

  constructor(site: Site, request: AcquireRequest) {
    this.#site = site;
    this.#request = request;
  }

  /** Does it, unless it was done before. Failing is no matter: it is then slower. */
  once(token: string): Promise<void> {
    this.#done ??= this.#rehearse(token).catch(() => {});
    return this.#done;
  }

  async #rehearse(token: string): Promise<void> {
    const { sys, paths, mount } = this.#site;
    const folder = rehearsalFolder(paths, token);
    await sys.files.makeFolder(folder);
    try {
      for (let times = 0; times < TIMES; times++) {
        const site = openSite(sys, lockPaths(folder, "lock"), { mount });
        const hold = await acquire(site, { ...this.#request, timeoutMs: 0, wakeUps: "none" });
        await hold.release();
      }
    } finally {
      await removeScratchFolder(sys.files, folder);
    }
  }
}
