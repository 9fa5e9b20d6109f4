/** Whether somebody who wrote down who and where it is still lives. */

import { isSameMachine, type WhoAndWhere } from "../state/record.ts";
import type { Life } from "./findings.ts";
import type { Site } from "../site.ts";

export interface Sight {
  readonly life: Life;
  /** It lives, but does nothing until it is let go on. */
  readonly stopped: boolean;
}

/** What is seen of a process that cannot be asked for. */
export const UNSEEN: Sight = { life: "unknown", stopped: false };

/** Of another machine or pid namespace nothing can be known: there the number is somebody else's. */
export async function seeWho(site: Site, who: WhoAndWhere): Promise<Sight> {
  const { machine } = await site.sys.processes.self();
  if (!isSameMachine(who.machine, machine)) return UNSEEN;
  return await seeProcess(site, who.pid, who.processStart);
}

export async function lifeOf(site: Site, who: WhoAndWhere): Promise<Life> {
  return (await seeWho(site, who)).life;
}

/** A process lives if its number does and it started when it says; a start that is not known decides nothing. */
export async function seeProcess(site: Site, pid: number, start: string | null): Promise<Sight> {
  const found = await site.sys.processes.look(pid);
  if (found.state !== "alive") return { life: found.state, stopped: false };
  const isMeant = start === null || found.start === null || found.start === start;
  return isMeant ? { life: "alive", stopped: found.stopped } : { life: "gone", stopped: false };
}
