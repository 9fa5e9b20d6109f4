/**
 * The line of waiters: tickets in order of arrival. It is advice; only mkdir grants.
 *
 * A ticket's number is one above the highest in the line when it was taken, so that order needs no clock.
 * Two who come in the same instant may draw the same number: their random parts decide.
 */

const NUMBER_DIGITS = 10;
const HIGHEST_NUMBER = 10 ** NUMBER_DIGITS - 1;

/**
 * The name of the ticket that comes after all of these. Behind a ticket with the highest number, which somebody
 * must have planted, all have that number too, and their random parts decide.
 */
export function nextTicketName(names: readonly string[], token: string): string {
  const last = names.reduce((highest, name) => Math.max(highest, ticketNumber(name) ?? 0), 0);
  const number = Math.min(last + 1, HIGHEST_NUMBER);
  return `${String(number).padStart(NUMBER_DIGITS, "0")}-${token}`;
}

/** As another ticket, in the place of this one. */
export function ticketInPlaceOf(name: string, token: string): string {
  return `${name.slice(0, NUMBER_DIGITS)}-${token}`;
}

function ticketNumber(name: string): number | null {
  const match = /^(\d{10})-[a-z0-9]+$/.exec(name);
  return match && Number(match[1]);
}

/** Random name of the wait that a ticket stands for, and of its lifeline. */
export function tokenOfTicket(name: string): string {
  return name.slice(NUMBER_DIGITS + 1);
}

/** Only tickets, in the order in which they are served. Hidden names are tickets still being made. */
export function inOrder(names: readonly string[]): string[] {
  return names.filter((name) => ticketNumber(name) !== null).sort();
}

export interface Turn {
  /** 1 = first in line. */
  readonly place: number;
  /** The ticket straight ahead; null for the first. */
  readonly ahead: string | null;
}

/** My place in the line; null if my ticket is not in it any more. */
export function turnOf(names: readonly string[], mine: string): Turn | null {
  const line = inOrder(names);
  const index = line.indexOf(mine);
  return index < 0 ? null : { place: index + 1, ahead: line[index - 1] ?? null };
}

/** The place of who is not seen in the line: behind all that are. */
export function behindAll(names: readonly string[]): Turn {
  const line = inOrder(names);
  return { place: line.length + 1, ahead: line.at(-1) ?? null };
}
