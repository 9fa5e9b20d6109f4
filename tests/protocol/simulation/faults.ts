/**
 * What may go wrong for once, out of the blue: a call on a file, or a whole machine.
 *
 * Guarantee: only calls on files meet any, and only with codes that the system call could give.
 * Non-guarantee: a call that fails has had no effect at all.
 * Assumption: which call fails, and how often in a run, is chosen elsewhere.
 */

import type { Event } from "./events.ts";
import type { Call, SimProcess } from "./sim_process.ts";
import type { World } from "./world.ts";

/** So long a person looks at a process with a call that is never answered, and then kills it. */
export const PATIENCE_MS = 120_000;

const ANY = ["EIO"];
/** It takes an open file. */
const OPENING = ["EIO", "EMFILE"];
/** It takes room on the disk. */
const GROWING = ["ENOSPC", "EIO"];
const OPENING_AND_GROWING = ["ENOSPC", "EMFILE", "EIO"];

const FAULTS: Readonly<Record<string, readonly string[]>> = {
  entry: ANY,
  list: OPENING,
  makeFolder: GROWING,
  removeFolder: ANY,
  removeFile: ANY,
  rename: GROWING,
  setMtime: ANY,
  create: OPENING_AND_GROWING,
  openNew: OPENING_AND_GROWING,
  append: OPENING_AND_GROWING,
  overwrite: OPENING,
  write: GROWING,
  read: OPENING,
  readTail: OPENING,
  open: OPENING,
  watch: ["EMFILE"],
  tryLock: ["ENOLCK"],
};

/** Codes of the faults that this call may meet; none if it is about no file. */
export function faultsOf({ operation }: Call): readonly string[] {
  return FAULTS[operation.split(" ")[0]!] ?? [];
}

/** How many of each there may still be in a run. */
export interface FileFaultsLeft {
  errors: number;
  silences: number;
  machineDeaths: number;
}

/**
 * The fault that a choice stands for: of 8 kinds, 4 let a call fail, 2 leave one unanswered, 2 end a machine.
 * @return null if there is none of that kind left, or no such kind
 */
export function fileFault(
  world: World,
  may: readonly Event[],
  kind: number,
  detail: number,
  left: FileFaultsLeft,
  spare: (process: SimProcess) => boolean = () => false,
): Event | null {
  if (kind < 0 || kind >= 8) return null;
  if (kind < 6) return faultOfCall(may, kind < 4 ? "fail" : "never answered", detail, left, spare);
  const spared = world.processes.filter(spare).map(({ machine }) => machine.name.host);
  const machines = world.machines.filter(({ name }) => !spared.includes(name.host));
  const machine = machines[detail % machines.length];
  return machine && left.machineDeaths-- > 0 ? { kind: "machine dies", machine } : null;
}

function faultOfCall(
  may: readonly Event[],
  kind: "fail" | "never answered",
  detail: number,
  left: FileFaultsLeft,
  spare: (process: SimProcess) => boolean,
): Event | null {
  const steps = may.filter((event) =>
    event.kind === "step" && !event.otherwise && !spare(event.process) &&
    faultsOf(event.call).length > 0
  );
  const step = steps[detail % steps.length];
  if (step?.kind !== "step") return null;
  const { process, call } = step;
  const which = Math.floor(detail / steps.length);
  if (kind === "never answered") {
    return left.silences-- > 0 ? { kind, process, call, hasEffect: which % 2 === 1 } : null;
  }
  const codes = faultsOf(call);
  return left.errors-- > 0 ? { kind, process, call, code: codes[which % codes.length]! } : null;
}
