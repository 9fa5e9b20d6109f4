/** A check of `doctor`: what it looked at, how it came out, and what that means for a person. */

export type Status = "PASS" | "WARN" | "FAIL";

export interface Judgement {
  readonly status: Status;
  /** A sentence without its full stop; several are joined by semicolons. */
  readonly text: string;
}

export function pass(text: string): Judgement {
  return { status: "PASS", text };
}

/** It works, but less well, or not for everybody. */
export function warn(text: string): Judgement {
  return { status: "WARN", text };
}

/** The lock, or the log, cannot be believed here. */
export function fail(text: string): Judgement {
  return { status: "FAIL", text };
}
