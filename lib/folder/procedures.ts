/**
 * The procedures that exclusion rests on, in one replaceable set: the tests arm known-wrong ones and must
 * see the invariants break.
 */

import { beat } from "./beat.ts";
import { removeLock } from "./removal/removal.ts";

export interface Procedures {
  readonly removeLock: typeof removeLock;
  readonly beat: typeof beat;
}

export const PROCEDURES: Procedures = { removeLock, beat };
