/** Slots: one of several that a lock has. Their names, as a caller gives them; pure. */

import { isLockName, showForeign } from "../words/slugs.ts";

/** A listing of them must stay readable, and a first look at all of them short. */
export const MOST_SLOTS = 256;

/** A name becomes part of file names, between that of the lock and `.lock`. */
export const SLOTS_RULE =
  `a number from 1 to ${MOST_SLOTS}, or names with commas between them (letters, digits, dots, dashes, underscores)`;

export type ParsedSlots =
  | { readonly slots: readonly string[] }
  /** Why that is no list of slots. */
  | { readonly problem: string };

/** @param text as given: `3`, or `gpu0,gpu1` */
export function parseSlots(text: string): ParsedSlots {
  const isCount = /^\d+$/.test(text);
  if (isCount && (Number(text) < 1 || Number(text) > MOST_SLOTS)) {
    return { problem: `"${showForeign(text)}" is out of range: ${SLOTS_RULE}` };
  }
  const slots = isCount ? numbered(Number(text)) : text.split(",").map((name) => name.trim());
  return checkSlots(slots);
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1));
}

/** Whether these may be the slots of one lock. */
export function checkSlots(slots: readonly string[]): ParsedSlots {
  const wrong = slots.find((slot) => !isLockName(slot));
  if (wrong !== undefined) {
    return { problem: `"${showForeign(wrong)}" is no name of a slot: ${SLOTS_RULE}` };
  }
  if (slots.length > MOST_SLOTS) {
    return { problem: `${slots.length} names are too many: at most ${MOST_SLOTS}` };
  }
  // Some file systems take upper and lower case for one.
  const names = slots.map((slot) => slot.toLowerCase());
  const twice = slots.find((_, index) => names.indexOf(names[index]!) !== index);
  return twice === undefined ? { slots } : { problem: `slot ${twice} is named twice` };
}

/** The order in which they are named means nothing. */
export function areSameSlots(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

/** `3 slots (1, 2, 3)`, as messages name a list. */
export function showSlots(slots: readonly string[]): string {
  const SHOWN = 8;
  const named = slots.length > SHOWN
    ? `${slots.slice(0, SHOWN - 1).join(", ")}, … ${slots.at(-1)}`
    : slots.join(", ");
  return `${slots.length} slot${slots.length === 1 ? "" : "s"} (${named})`;
}

/** As `--slots` takes it. */
export function slotsArgument(slots: readonly string[]): string {
  return areSameSlots(slots, numbered(slots.length)) ? String(slots.length) : slots.join(",");
}

/** What keeps the slots of a lock from being changed. */
export type SlotsInTheWay =
  | { readonly kind: "held"; readonly slot: string }
  | { readonly kind: "waiting" }
  /** This machine was held up: another may have taken a slot meanwhile. */
  | { readonly kind: "too late" };
