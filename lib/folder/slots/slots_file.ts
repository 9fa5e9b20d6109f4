/**
 * The file that names the slots of a lock, one in each line.
 *
 * Guarantee: the first caller makes it, and no other list replaces it but by `replaceSlots()`, while all slots are held.
 * Not guaranteed: anything against a person who edits it.
 */

import { FolderUnusable, UsageError } from "../../lock/failures.ts";
import { areSameSlots, checkSlots, showSlots, slotsArgument } from "../../lock/slots.ts";
import { faultCode } from "../../sys/faults.ts";
import type { Clock, Files } from "../../sys/sys.ts";

/** More than the longest list takes. */
const LARGEST_BYTES = 32_768;

/** Its maker writes it in one go, a moment after it has made it. */
const LOOK_AGAIN_MS = 10;
const LOOKS = 100;

/** What it takes to read and make the file. */
type Machine = { readonly files: Files; readonly clock: Clock };

/**
 * @param path of the file
 * @return null if the lock has no slots
 * @throws FolderUnusable if the file names none
 */
export async function readSlots(
  { files, clock }: Machine,
  path: string,
): Promise<readonly string[] | null> {
  for (let looks = 1;; looks++) {
    const content = await files.read(path, LARGEST_BYTES);
    if (content === null) return null;
    const slots = slotsIn(content.text);
    if (slots) return slots;
    if (looks === LOOKS) break;
    await clock.sleep(LOOK_AGAIN_MS);
  }
  const reason = "it names no slots; write it anew with lock_folder_util slots --set";
  throw new FolderUnusable(path, { kind: "file", reason, uid: null, mode: null });
}

/** @return null for half a list, or none */
function slotsIn(text: string): readonly string[] | null {
  if (!text.endsWith("\n")) return null;
  const checked = checkSlots(text.trimEnd().split("\n"));
  return "slots" in checked ? checked.slots : null;
}

/** What the file says for these slots. */
export function slotsText(slots: readonly string[]): string {
  return slots.map((slot) => `${slot}\n`).join("");
}

/**
 * Makes the file, unless there is one, and compares.
 * @param refuseToMake called first where there is none
 * @throws UsageError if another list is in use
 */
export async function agreeOnSlots(
  machine: Machine,
  path: string,
  slots: readonly string[],
  refuseToMake: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const inUse = await readSlots(machine, path);
    if (inUse) return refuseOthers(path, slots, inUse);
    await refuseToMake();
    try {
      await machine.files.create(path, slotsText(slots));
      return;
    } catch (fault) {
      // Another caller was first.
      if (faultCode(fault) !== "EEXIST") throw fault;
    }
  }
}

function refuseOthers(path: string, slots: readonly string[], inUse: readonly string[]): void {
  if (areSameSlots(slots, inUse)) return;
  throw new UsageError(
    `--slots ${slotsArgument(slots)} is not what ${path} has: this lock has ${
      showSlots(inUse)
    }; say --slots ${slotsArgument(inUse)}, or change it with lock_folder_util slots --set ${
      slotsArgument(slots)
    }`,
  );
}

/**
 * For a call without `--slots`.
 * @throws UsageError if the lock has slots
 */
export async function refuseSlots(machine: Machine, path: string): Promise<void> {
  const slots = await readSlots(machine, path);
  if (!slots) return;
  throw new UsageError(
    `this lock has ${showSlots(slots)}, as ${path} says; take one of them with --slots ${
      slotsArgument(slots)
    }`,
  );
}
