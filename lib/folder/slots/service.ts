/** A lock with slots, as the command line sees it: several locks in one folder, which share one line. */

import type {
  Claimant,
  LockService,
  OuterHold,
  ReleasedHold,
  RunnableHold,
  WaitObserver,
  WaitRequest,
  WhichHold,
} from "../../lock/service.ts";
import type { SlotsInTheWay } from "../../lock/slots.ts";
import type { StatusView } from "../../lock/views.ts";
import { medianOfTails } from "../../log/tail.ts";
import type { Host } from "../../sys/sys.ts";
import { logTail } from "../audit.ts";
import { acquireAt, readJournalAt, readLogAt } from "../service.ts";
import { explain } from "../place/obstacles.ts";
import type { Site } from "../site.ts";
import { agreeOnSlots } from "./slots_file.ts";
import { refusePlainUse } from "./plain_use.ts";
import { slotNamed, slotOf } from "./which_slot.ts";

const visits = () => import("../visit/visits.ts");

export class CountedFolderService implements LockService {
  readonly lock: string;
  readonly log: string;
  readonly jobs: string;
  readonly slots: readonly string[];
  readonly #line: Site;
  readonly #plain: Site;
  readonly #host: Host;

  /**
   * @param line of the slots
   * @param plain the lock of that name without slots, as others may use it by mistake
   */
  constructor(line: Site, plain: Site, host: Host) {
    this.#line = line;
    this.#plain = plain;
    this.#host = host;
    this.lock = line.paths.lock;
    this.log = line.paths.log;
    this.jobs = line.paths.jobs;
    this.slots = line.slots!.map(({ slot }) => slot!);
  }

  async acquire(request: WaitRequest, observer: WaitObserver = {}): Promise<RunnableHold> {
    await this.#agree();
    const hold = await acquireAt(this.#line, this.#host, request, observer);
    // Somebody may have changed the list during the wait: this slot may be none any more.
    try {
      await this.#agree();
      return hold;
    } catch (failure) {
      await hold.release();
      throw failure;
    }
  }

  async #agree(): Promise<void> {
    const refuse = () => refusePlainUse(this.#plain, this.slots);
    try {
      await agreeOnSlots(this.#host, this.lock, this.slots, refuse);
    } catch (failure) {
      throw await explain(this.#line, failure);
    }
  }

  async around(tokens: readonly string[]): Promise<OuterHold | null> {
    if (tokens.length === 0) return null;
    const { holdAround } = await visits();
    for (const slot of this.#line.slots!) {
      const hold = await holdAround(slot, tokens);
      if (hold) return hold;
    }
    return null;
  }

  async names(): Promise<readonly string[]> {
    return await (await visits()).locksBeside(this.#line);
  }

  async usualHoldMs(): Promise<number | null> {
    const tails = [];
    for (const slot of this.#line.slots!) tails.push(await logTail(slot));
    return medianOfTails(tails);
  }

  async readJournal(onPiece: (text: string) => void): Promise<boolean> {
    let isThere = false;
    for (const site of [this.#line, ...this.#line.slots!]) {
      isThere = await readJournalAt(site, this.#host, onPiece) || isThere;
    }
    return isThere;
  }

  async readLog(onPiece: (text: string) => void, slot?: string): Promise<boolean> {
    const site = slot === undefined ? this.#line : slotNamed(this.#line, slot);
    return await readLogAt(site, this.#host, onPiece);
  }

  async release(
    slug: string,
    isForced: boolean,
    { fence = null, slot = null }: WhichHold = {},
  ): Promise<ReleasedHold> {
    const asked: Claimant | null = fence !== null
      ? { by: "fence", fence }
      : isForced
      ? null
      : { by: "slug", slug };
    const site = await slotOf(this.#line, slot, asked);
    return await (await visits()).releaseBySlug(site, slug, isForced, fence);
  }

  async renew(slug: string, { slot = null }: WhichHold = {}): Promise<void> {
    const site = await slotOf(this.#line, slot, { by: "slug", slug });
    await (await visits()).renewBySlug(site, slug);
  }

  async check(claimant: Claimant, { slot = null }: WhichHold = {}): Promise<void> {
    const site = await slotOf(this.#line, slot, claimant);
    await (await visits()).checkHold(site, claimant);
  }

  async changeSlots(slots: readonly string[]): Promise<SlotsInTheWay | null> {
    const { changeSlots } = await import("./change_slots.ts");
    return await changeSlots(this.#plain, this.slots, slots);
  }

  async status(staleMs: number): Promise<StatusView> {
    return await (await visits()).lookAtSlots(this.#line, staleMs);
  }
}
