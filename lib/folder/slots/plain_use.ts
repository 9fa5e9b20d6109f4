/** Whether a lock is used without slots: then it must not get any, for those who use it would not see them. */

import { UsageError } from "../../lock/failures.ts";
import { slotsArgument } from "../../lock/slots.ts";
import { lastHold } from "../../log/tail.ts";
import { logTail } from "../audit.ts";
import { showForeign } from "../../words/slugs.ts";
import type { Site } from "../site.ts";

/** @throws UsageError with what shows that it is */
export async function refusePlainUse(
  plain: Site,
  slots: readonly string[],
): Promise<void> {
  const sign = await signOfPlainUse(plain);
  if (sign === null) return;
  throw new UsageError(
    `this lock is used without slots: ${sign}; say --slots ${
      slotsArgument(slots)
    } with another --name`,
  );
}

async function signOfPlainUse(plain: Site): Promise<string | null> {
  const { paths, sys: { files } } = plain;
  if (await files.entry(paths.lock)) return `${paths.lock} stands`;
  const waiting = await files.list(paths.queue) ?? [];
  if (waiting.some((name) => !name.startsWith(".")) && !await hasSlotState(plain)) {
    return `some wait in ${paths.queue}`;
  }
  const last = lastHold(await logTail(plain));
  return last && `${paths.log} tells of a hold of ${showForeign(last.slug)}`;
}

/** The list was deleted under those that wait for slots: their slots have been used. */
async function hasSlotState({ paths: { dir, lock }, sys: { files } }: Site): Promise<boolean> {
  const name = lock.slice(lock.lastIndexOf("/") + 1, -".lock".length);
  const beside = await files.list(`${dir}/.`) ?? [];
  return beside.some((one) => one.startsWith(`${name}.`) && /\..+\.(lock|state)$/.test(one));
}
