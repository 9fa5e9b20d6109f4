/** A job: a `run` that has let go of its caller. What its `job.json` says. */

import { isNote, isSlug } from "../words/slugs.ts";

export interface Job {
  readonly id: string;
  readonly slug: string;
  readonly note?: string;
  /** As far as it is kept; gone when the job has ended. */
  readonly command: readonly string[];
  readonly state: "submitted" | "waiting" | "running" | "ended";
  /** In line, when it began to wait; null before, and without a wait. */
  readonly place: number | null;
  /** Its wrapper; null until that has begun. */
  readonly pid: number | null;
  /** The command; null until it runs. */
  readonly childPid: number | null;
  /** All by the clock of the machine that it runs on, in milliseconds since 1970. */
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The status of its end; null until then. */
  readonly code: number | null;
  /** It was called off by `cancel`. */
  readonly cancelled: boolean;
  /** For how long its result is kept after its end. Milliseconds. */
  readonly keepMs: number;
}

const STATES = ["submitted", "waiting", "running", "ended"];

/** Short enough to be said, and one in two thousand million. */
export const JOB_ID_RULE = "6 letters and digits, as run --detach has printed them";
const JOB_ID_LENGTH = 6;

export function isJobId(text: string): boolean {
  return /^[a-z0-9]{6}$/.test(text);
}

/** @param token 24 random letters and digits */
export function jobIdOf(token: string): string {
  return token.slice(0, JOB_ID_LENGTH);
}

/** @return null if it is not whole, or not of this form */
export function parseJob(text: string): Job | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { id, slug, note, command, state, place, pid, childPid, cancelled } = value ?? {};
  const { submittedAt, startedAt, endedAt, code, keepMs } = value ?? {};
  const isWhole = typeof id === "string" && isJobId(id) && typeof slug === "string" &&
    isSlug(slug) && (note === undefined || (typeof note === "string" && isNote(note))) &&
    Array.isArray(command) && command.every((word) => typeof word === "string") &&
    STATES.includes(state as string) && [place, pid, childPid].every(isCountOrNull) &&
    [startedAt, endedAt, code].every(isCountOrNull) && isCount(submittedAt) && isCount(keepMs) &&
    typeof cancelled === "boolean";
  return isWhole ? value as unknown as Job : null;
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isCountOrNull(value: unknown): boolean {
  return value === null || isCount(value);
}
