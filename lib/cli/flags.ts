/** All flags, whatever command they belong to, with their words. */

import {
  DEFAULT_KEEP_PLACE_MS,
  DEFAULT_LOCK_NAME,
  DEFAULT_POLL_MS,
  DEFAULT_STALE_MS,
  DEFAULT_TIMEOUT_MS,
} from "../lock/times.ts";
import { EXIT } from "../lock/exit_codes.ts";

export type FlagName =
  | "slug"
  | "poll"
  | "stale"
  | "timeout"
  | "keep-place"
  | "conflict-exit-code"
  | "die-with-parent"
  | "note"
  | "detach"
  | "keep"
  | "follow"
  | "watch"
  | "all"
  | "on-lost"
  | "max-hold"
  | "fence"
  | "force"
  | "agents"
  | "hold"
  | "rounds"
  | "stagger"
  | "since"
  | "until"
  | "svg"
  | "html"
  | "peer"
  | "dir"
  | "name"
  | "slots"
  | "slot"
  | "set"
  | "quiet"
  | "json"
  | "verbose"
  | "help"
  | "version";

export interface Flag {
  readonly name: FlagName;
  /** What its value is called; null for a flag without one. */
  readonly value: string | null;
  /** Its value if it is not given, as a person would write it. */
  readonly byDefault?: string;
  /** What its value may be, or is now and then: for completions. */
  readonly words?: readonly string[];
  readonly help: string;
}

export const FLAGS: readonly Flag[] = [
  {
    name: "slug",
    value: "NAME",
    byDefault: "$LOCK_FOLDER_SLUG",
    help: "your name in the log: 1 to 64 visible characters, no white space",
  },
  {
    name: "poll",
    value: "D",
    byDefault: inSeconds(DEFAULT_POLL_MS),
    help: "longest time between two looks at a lock that is held, at least 10ms",
  },
  {
    name: "stale",
    value: "D",
    byDefault: inSeconds(DEFAULT_STALE_MS),
    help: "break a lock that gave no sign of life for this long",
  },
  {
    name: "timeout",
    value: "D",
    byDefault: inSeconds(DEFAULT_TIMEOUT_MS),
    help: "give up after this long; 0 tries once, none waits for ever",
  },
  {
    name: "keep-place",
    value: "D",
    byDefault: inSeconds(DEFAULT_KEEP_PLACE_MS),
    help: "after a wait in vain, keep the place in line for the next call; 0 does not",
  },
  {
    name: "conflict-exit-code",
    value: "N",
    byDefault: `${EXIT.gaveUp}`,
    help: "exit with N when giving up",
  },
  {
    name: "die-with-parent",
    value: null,
    help:
      "when the process that called is gone, end the wait, and the command with all that it started",
  },
  {
    name: "note",
    value: "TEXT",
    help: "why you want the lock, for others to read: 1 to 200 visible characters",
  },
  {
    name: "detach",
    value: null,
    help: "submit it as a job, and return once it is in line; `result` collects it",
  },
  {
    name: "keep",
    value: "D",
    byDefault: "86400",
    help: "with --detach: keep the result for this long after the end",
  },
  {
    name: "follow",
    value: null,
    help: "write what it writes, as it comes",
  },
  { name: "watch", value: null, help: "show it anew each second, in place, until Ctrl-C" },
  { name: "all", value: null, help: "show every lock of the folder" },
  {
    name: "on-lost",
    value: "WHAT",
    byDefault: "warn",
    words: ["warn", "terminate"],
    help: "if somebody else removes the lock: warn, or terminate the command (exit 76)",
  },
  {
    name: "max-hold",
    value: "D",
    help:
      "end the command and all that it started (TERM, ten seconds, KILL) after this long a hold",
  },
  { name: "fence", value: "N", help: "the hold to ask for, by its LOCK_FOLDER_FENCE" },
  { name: "force", value: null, help: "release the lock whoever holds it" },
  {
    name: "agents",
    value: "N",
    byDefault: "8",
    help: "how many want the lock at once, at most 200 in herd",
  },
  { name: "hold", value: "D", byDefault: "1", help: "how long each of them holds it" },
  { name: "rounds", value: "N", byDefault: "1", help: "how many times each of them wants it" },
  {
    name: "stagger",
    value: "D",
    byDefault: "0",
    help: "over how long their first tries are spread",
  },
  {
    name: "since",
    value: "TIME",
    help: "from this moment on (2026-08-22T23:05:52Z, 2026-08-22), or this long ago (2h)",
  },
  { name: "until", value: "TIME", help: "up to this moment, or this long ago" },
  { name: "svg", value: "FILE", help: "write a picture of the timeline" },
  { name: "html", value: "FILE", help: "write a page that works without a network" },
  {
    name: "dir",
    value: "DIR",
    byDefault: "$LOCK_FOLDER_DIR, else .tmp",
    words: ["@git", "@user"],
    help: "the folder that the lock is in, or @git or @user",
  },
  {
    name: "name",
    value: "NAME",
    byDefault: DEFAULT_LOCK_NAME,
    help: "which lock in that folder: NAME.lock, NAME.log, NAME.state",
  },
  {
    name: "slots",
    value: "N|NAMES",
    help: "take one of several slots: their number, or their names with commas between them",
  },
  { name: "slot", value: "NAME", help: "of a lock with slots: which, where you hold several" },
  {
    name: "set",
    value: "N|NAMES",
    help: "change the slots, while nobody holds one or waits",
  },
  { name: "peer", value: "DIR", help: "the same folder through a second mount of it" },
  {
    name: "quiet",
    value: null,
    help: "no lines about waiting or writing; failures are still told",
  },
  {
    name: "json",
    value: null,
    help: "one object of JSON for programs",
  },
  { name: "verbose", value: null, help: "with --version: the run-time's version too" },
  { name: "help", value: null, help: "show this" },
  { name: "version", value: null, help: "show the version" },
];

function inSeconds(ms: number): string {
  return String(ms / 1000);
}

export function flagNamed(name: FlagName): Flag {
  return FLAGS.find((flag) => flag.name === name)!;
}
