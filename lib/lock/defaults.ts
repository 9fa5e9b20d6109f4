/** What holds where nobody says otherwise, on the command line and in the library. */

export const DEFAULT_LOCK_NAME = "lock";

/** Longest time between two looks: what the first, short ones and all wake-ups have missed can wait so long. */
export const DEFAULT_POLL_MS = 15_000;

/** No command that beats every five seconds is ever so silent; one that cannot beat has time for its work. */
export const DEFAULT_STALE_MS = 600_000;

/** A fleet's turn comes within it; a person who comes back after it is told rather than kept. */
export const DEFAULT_TIMEOUT_MS = 1_800_000;

/** An agent whose calls are cut off after two to ten minutes comes back within it. */
export const DEFAULT_KEEP_PLACE_MS = 600_000;

/** The shortest `--poll` that is allowed: below this a waiter does nothing but look. */
export const POLL_FLOOR_MS = 10;
