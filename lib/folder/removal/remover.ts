/** The one that has the right to remove the lock, for people who wait for what it is about to do. */

import { showForeign } from "../../words/slugs.ts";
import type { Site } from "../site.ts";
import { seeWho } from "../verdict/life.ts";
import type { RemoverView } from "../../lock/views.ts";
import type { TakerWho } from "./request.ts";
import { readTakers, signedBy, takerState } from "./takers.ts";

/** The one that has the right just now; null if nobody has, or nobody knows who. */
export async function whoRemoves(site: Site): Promise<RemoverView | null> {
  for (const taker of await readTakers(site)) {
    const state = await takerState(site, taker);
    if (state === "gone") continue;
    const who = signedBy(taker);
    return who && await viewRemover(site, who, state === "mute");
  }
  return null;
}

/** @param isMute as the right to remove found it */
export async function viewRemover(
  site: Site,
  who: TakerWho,
  isMute: boolean,
): Promise<RemoverView> {
  const { slug, pid, machine: { host } } = who;
  const { life, stopped } = await seeWho(site, who);
  const seen = stopped ? "stopped" : life === "alive" ? "lives" : "away";
  const view = { slug, pid, host, sight: isMute ? "mute" : seen } as const;
  return { ...view, why: removerWords(view) };
}

function removerWords({ slug, pid, host, sight }: Omit<RemoverView, "why">): string {
  const name = showForeign(slug);
  const where = `pid ${pid} on ${showForeign(host)}`;
  switch (sight) {
    case "stopped":
      return `${name} (pid ${pid}) is stopped while it removes the lock: kill -CONT ${pid}`;
    case "lives":
      return `${name} (pid ${pid}) is about to remove the lock`;
    case "away":
      return `${name} (${where}) is about to remove the lock, and is perhaps stopped: look after it there`;
    case "mute":
      return `${name} (${where}) is about to remove the lock, and cannot be seen from here: it is passed over after a minute`;
  }
}
