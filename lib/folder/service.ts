/** The lock that is a folder, as the command line and the library see it. */

import type {
  AcquireRequest,
  Claimant,
  LockService,
  OuterHold,
  ReleasedHold,
  RunnableHold,
  WaitObserver,
  WaitRequest,
  WhichHold,
} from "../lock/service.ts";
import { UsageError } from "../lock/failures.ts";
import type { SlotsInTheWay } from "../lock/slots.ts";
import type { StatusView } from "../lock/views.ts";
import { acquire } from "./acquire.ts";
import { logTail, olderJournal } from "./audit.ts";
import { answersOn, refuseUnsafeMount, wakeUpsOn } from "./place/mount.ts";
import type { Site } from "./site.ts";
import { faultCode } from "../sys/faults.ts";
import type { Host } from "../sys/sys.ts";

/** What another process than the holder's asks for is loaded when it is asked for: `run` starts sooner. */
const visits = () => import("./visit/visits.ts");

async function rehearse(site: Site, request: AcquireRequest, token: string): Promise<void> {
  await (await import("./line/rehearsal.ts")).rehearse(site, request, token);
}

/** Acquires with what the place of the lock adds to a request. */
export async function acquireAt(
  site: Site,
  { environment }: Pick<Host, "environment">,
  request: WaitRequest,
  observer: WaitObserver,
): Promise<RunnableHold> {
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

export class FolderService implements LockService {
  readonly lock: string;
  readonly log: string;
  readonly jobs: string;
  readonly slots = null;
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
    return await acquireAt(this.#site, this.#host, request, observer);
  }

  async around(tokens: readonly string[]): Promise<OuterHold | null> {
    return tokens.length === 0 ? null : await (await visits()).holdAround(this.#site, tokens);
  }

  async names(): Promise<readonly string[]> {
    return await (await visits()).locksBeside(this.#site);
  }

  async usualHoldMs(): Promise<number | null> {
    const { medianHoldMs } = await import("../log/tail.ts");
    return medianHoldMs(await logTail(this.#site));
  }

  async readJournal(onPiece: (text: string) => void): Promise<boolean> {
    return await readJournalAt(this.#site, this.#host, onPiece);
  }

  async readLog(onPiece: (text: string) => void): Promise<boolean> {
    return await readLogAt(this.#site, this.#host, onPiece);
  }

  async release(
    slug: string,
    isForced: boolean,
    { fence = null, slot = null }: WhichHold = {},
  ): Promise<ReleasedHold> {
    refuseSlot(slot);
    return await (await visits()).releaseBySlug(this.#site, slug, isForced, fence);
  }

  async renew(slug: string, { slot = null }: WhichHold = {}): Promise<void> {
    refuseSlot(slot);
    await (await visits()).renewBySlug(this.#site, slug);
  }

  async check(claimant: Claimant, { slot = null }: WhichHold = {}): Promise<void> {
    refuseSlot(slot);
    await (await visits()).checkHold(this.#site, claimant);
  }

  async changeSlots(slots: readonly string[]): Promise<SlotsInTheWay | null> {
    const { changeSlots } = await import("./slots/change_slots.ts");
    return await changeSlots(this.#site, null, slots);
  }

  async status(staleMs: number): Promise<StatusView> {
    return await (await visits()).lookAtStatus(this.#site, staleMs);
  }
}

/** @return false if there is none yet */
export async function readLogAt(
  { paths: { log } }: Site,
  { documents }: Pick<Host, "documents">,
  onPiece: (text: string) => void,
): Promise<boolean> {
  try {
    await documents.read(log, onPiece);
    return true;
  } catch (fault) {
    // A lock that nobody has used yet has no log.
    if (faultCode(fault) === "ENOENT") return false;
    throw fault;
  }
}

/** @return false if there is none */
export async function readJournalAt(
  { paths: { journal } }: Site,
  { documents }: Pick<Host, "documents">,
  onPiece: (text: string) => void,
): Promise<boolean> {
  let isThere = false;
  for (const path of [olderJournal(journal), journal]) {
    const read = documents.read(path, onPiece);
    isThere = await read.then(() => true, () => false) || isThere;
  }
  return isThere;
}

function refuseSlot(slot: string | null): void {
  if (slot !== null) throw new UsageError("--slot is for a lock with slots, and this one has none");
}
