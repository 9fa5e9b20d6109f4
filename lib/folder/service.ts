/** The lock that is a folder, as the command line and the library see it. */

import { medianHoldMs } from "../log/tail.ts";
import type {
  AcquireRequest,
  Claimant,
  LockService,
  OuterHold,
  ReleasedHold,
  RunnableHold,
  WaitObserver,
  WaitRequest,
} from "../lock/service.ts";
import type { StatusView } from "../lock/views.ts";
import { acquire } from "./acquire.ts";
import { logTail } from "./audit.ts";
import { olderJournal } from "./journal.ts";
import { answersOn, refuseUnsafeMount, wakeUpsOn } from "./place/mount.ts";
import type { Site } from "./site.ts";
import { faultCode } from "../sys/faults.ts";
import type { Host } from "../sys/sys.ts";

/** What another process than the holder's asks for is loaded when it is asked for: `run` starts sooner. */
const visits = () => import("./visit/visits.ts");

async function rehearse(site: Site, request: AcquireRequest, token: string): Promise<void> {
  await (await import("./line/rehearsal.ts")).rehearse(site, request, token);
}

export class FolderService implements LockService {
  readonly lock: string;
  readonly log: string;
  readonly jobs: string;
  readonly #site: Site;
  readonly #host: Pick<Host, "documents" | "environment">;

  constructor(site: Site, host: Pick<Host, "documents" | "environment">) {
    this.#site = site;
    this.#host = host;
    this.lock = site.paths.lock;
    this.log = site.paths.log;
    this.jobs = site.paths.jobs;
  }

  async acquire(request: WaitRequest, observer: WaitObserver = {}): Promise<RunnableHold> {
    const site = this.#site;
    const { environment } = this.#host;
    refuseUnsafeMount(site, environment);
    const wakeUps = wakeUpsOn(site.mount, environment);
    const here = { ...request, ...answersOn(site.mount), wakeUps };
    // A program that outlives its waits goes through its first hold once, whatever it rehearses.
    const mayRehearse = wakeUps === "sure" && !request.outlivesWait;
    return await acquire(site, here, {
      ...observer,
      ...(mayRehearse && { getReady: (token) => rehearse(site, here, token) }),
    });
  }

  async around(tokens: readonly string[]): Promise<OuterHold | null> {
    return tokens.length === 0 ? null : await (await visits()).holdAround(this.#site, tokens);
  }

  async names(): Promise<readonly string[]> {
    return await (await visits()).locksBeside(this.#site);
  }

  async usualHoldMs(): Promise<number | null> {
    return medianHoldMs(await logTail(this.#site));
  }

  async readJournal(onPiece: (text: string) => void): Promise<boolean> {
    const { journal } = this.#site.paths;
    let isThere = false;
    for (const path of [olderJournal(journal), journal]) {
      const read = this.#host.documents.read(path, onPiece);
      isThere = await read.then(() => true, () => false) || isThere;
    }
    return isThere;
  }

  async readLog(onPiece: (text: string) => void): Promise<boolean> {
    try {
      await this.#host.documents.read(this.log, onPiece);
      return true;
    } catch (fault) {
      // A lock that nobody has used yet has no log.
      if (faultCode(fault) === "ENOENT") return false;
      throw fault;
    }
  }

  async release(
    slug: string,
    isForced: boolean,
    fence: number | null = null,
  ): Promise<ReleasedHold> {
    return await (await visits()).releaseBySlug(this.#site, slug, isForced, fence);
  }

  async renew(slug: string): Promise<void> {
    await (await visits()).renewBySlug(this.#site, slug);
  }

  async check(claimant: Claimant): Promise<void> {
    await (await visits()).checkHold(this.#site, claimant);
  }

  async status(staleMs: number): Promise<StatusView> {
    return await (await visits()).lookAtStatus(this.#site, staleMs);
  }
}
