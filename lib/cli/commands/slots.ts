/** `slots`: shows how many may hold the lock at once, and changes it. */

import { EXIT } from "../../lock/exit_codes.ts";
import { showSlots, type SlotsInTheWay } from "../../lock/slots.ts";
import type { LockService } from "../../lock/service.ts";
import type { Host } from "../../sys/sys.ts";
import { jsonText } from "../../words/json.ts";
import { showWhole } from "../../words/slugs.ts";
import type { ParsedLine } from "../command_line.ts";
import { slotsOption } from "../slots_option.ts";
import type { OpenLock } from "../which_lock.ts";
import { line } from "../wording/line.ts";

export async function slotsCommand(
  parsed: ParsedLine,
  host: Host,
  openLock: OpenLock,
): Promise<number> {
  const wanted = slotsOption(parsed, "set");
  const service = await openLock(parsed, host);
  // Of a folder that is none, nothing would be asked otherwise.
  await service.names();
  const inTheWay = wanted && await service.changeSlots(wanted);
  if (inTheWay) {
    const why = whyNotChanged(inTheWay);
    await host.terminal.err(
      line(`the slots of ${showWhole(service.lock)} are as they were: ${why}`),
    );
    return EXIT.gaveUp;
  }
  await show(parsed, host, wanted ? await openLock(parsed, host) : service);
  return EXIT.done;
}

function whyNotChanged(inTheWay: SlotsInTheWay): string {
  switch (inTheWay.kind) {
    case "held":
      return `slot ${inTheWay.slot} is held; see lock_folder_util status, and try again once all are free`;
    case "waiting":
      return "somebody waits for one; try again when nobody does";
    case "too late":
      return "this machine was held up meanwhile; try again";
  }
}

async function show({ set }: ParsedLine, host: Host, service: LockService): Promise<void> {
  const { lock, slots } = service;
  const columns = await host.terminal.outColumns();
  const text = set.has("json")
    ? jsonText({ lock, slots }, columns)
    : slots
    ? `${showWhole(lock)}: ${showSlots(slots)}\n`
    : `${showWhole(lock)} has no slots: one at a time holds it\n`;
  await host.terminal.out(text);
}
