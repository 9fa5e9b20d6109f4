/** How often each thing happened, as far as a report's filter lets it through. */

/**
 * How often each event word stands in the log. Of one agent: what it wrote, and what others wrote of its
 * locks.
 */
export interface EventCounts {
  acquired: number;
  released: number;
  gave_up: number;
  stale_break: number;
  lost: number;
  force_release: number;
  max_hold: number;
  not_removed: number;
}

/** Of the removals that are counted for one agent, which it did and which were done to it. */
export interface RemovalCounts {
  /** Locks of others that it broke as stale. */
  broke: number;
  /** Locks of others that it removed by force. */
  forced: number;
  /** Its own locks that were broken as stale. */
  wasBroken: number;
  /** Its own locks that were removed by force. */
  wasForced: number;
}

/** Four times what a slug may have; what is longer is none of ours, and is cut. */
const NAME_LONGEST = 256;

/** A part of a string keeps the whole of it in memory: a name would keep its piece of the log. */
export function ownCopy(part: string): string {
  return part.slice(0, NAME_LONGEST).split("").join("");
}

/** A log full of words that are no events must not fill memory either. */
const OTHER_EVENTS_LISTED = 50;

export class HistoryCounts {
  readonly events: EventCounts = {
    acquired: 0,
    released: 0,
    gave_up: 0,
    stale_break: 0,
    lost: 0,
    force_release: 0,
    max_hold: 0,
    not_removed: 0,
  };
  readonly others = new Map<string, number>();
  readonly removals: RemovalCounts = { broke: 0, forced: 0, wasBroken: 0, wasForced: 0 };

  /** @param event a word of the log */
  count(event: string): void {
    if (Object.hasOwn(this.events, event)) {
      this.events[event as keyof EventCounts]++;
    } else if (this.others.has(event) || this.others.size < OTHER_EVENTS_LISTED) {
      this.others.set(ownCopy(event), (this.others.get(event) ?? 0) + 1);
    }
  }

  /**
   * @param isOwn whether the lock was that of the agent that the report is of
   * @param by -1 takes one back
   */
  countRemoval(kind: "stale_break" | "force_release", isOwn: boolean, by: 1 | -1 = 1): void {
    this.events[kind] += by;
    if (kind === "stale_break") this.removals[isOwn ? "wasBroken" : "broke"] += by;
    else this.removals[isOwn ? "wasForced" : "forced"] += by;
  }
}
