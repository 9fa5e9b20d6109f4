/** What a trial stands on: the machine, the folder, and the processes that take part. */

import type { Diagnosis, Mounts, Sys } from "../sys/sys.ts";
import type { Team } from "./team.ts";

/** What trials need of the machine. */
export interface TrialSys extends Sys {
  readonly diagnosis: Diagnosis;
  readonly mounts: Mounts;
}

/** The folder for all trial things, as seen from two sides. */
export interface Ground {
  readonly sys: TrialSys;
  readonly team: Team;
  /** Through the mount under examination. */
  readonly here: string;
  /** Through the other mount; the same path where there is none. */
  readonly there: string;
  /** A word that makes names in it, so that a second round of a trial meets nothing of the first. */
  readonly prefix: string;
}
