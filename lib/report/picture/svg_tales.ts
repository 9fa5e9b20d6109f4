/** A few words beside the bars: who died, and who broke its lock. Where much happened, the marks must do. */

import type { History } from "../../log/history_summary.ts";
import type { Incident } from "../../log/incidents.ts";
import { showForeign } from "../../words/slugs.ts";
import { escaped } from "../page/markup.ts";
import { showLogged } from "../phrases.ts";
import { widthOf } from "../../words/columns.ts";
import { agentNumber, type Axis, drawnEndMs, type Lanes } from "./lanes.ts";

/** More of them would be read by nobody. */
const TALES_MOST = 6;
const CHARACTER_WIDTH = 6.2;
const GAP = 7;

/** Where things stand in the picture. */
export interface Plot {
  readonly x: (ms: number) => number;
  /** The baseline of a lane's words. */
  readonly baseline: (lane: number) => number;
  readonly left: number;
  readonly right: number;
}

export function talesOf(history: History, axis: Axis, lanes: Lanes, plot: Plot): string[] {
  const { incidents } = history;
  if (incidents.count > TALES_MOST) return [];
  return incidents.some.flatMap((incident) => {
    const tale = taleOf(incident);
    const agent = tale === null ? -1 : agentNumber(history, tale.about, incident.slot);
    return agent < 0 ? [] : drawn(tale!.words, incident, lanes.laneOf[agent]!);
  });

  function drawn(words: string, { atMs }: Incident, lane: number): string[] {
    const width = widthOf(words) * CHARACTER_WIDTH;
    const at = plot.x(atMs);
    const places = [[at + GAP, "start", at + GAP], [at - GAP, "end", at - GAP - width]] as const;
    const place = places.find(([, , from]) => isFree(lane, from, from + width));
    if (!place) return [];
    const [px, anchor] = place;
    return [
      `<text class="tick" x="${px.toFixed(1)}" y="${plot.baseline(lane)}" text-anchor="${anchor}">${
        escaped(words)
      }</text>`,
    ];
  }

  /** Words over a bar could not be read. */
  function isFree(lane: number, from: number, to: number): boolean {
    if (from < plot.left || to > plot.right) return false;
    const { holds } = history;
    for (let index = 0; index < holds.count; index++) {
      if (lanes.laneOf[holds.agent[index]!] !== lane) continue;
      const begin = plot.x(holds.startMs[index]!);
      if (begin < to && plot.x(drawnEndMs(history, index, axis)) > from) return false;
    }
    return true;
  }
}

/** Null for what is told by its mark alone. */
function taleOf(
  { kind, slug, holder, reason, waitedMs }: Incident,
): { readonly about: string; readonly words: string } | null {
  const who = showForeign(slug);
  if (kind === "stale_break" && holder !== null) {
    const what = reason === "dead" ? "died" : "fell silent";
    return { about: holder, words: `${what}; ${who} broke its lock` };
  }
  if (kind === "force_release" && holder !== null) {
    return { about: holder, words: `${who} removed its lock by force` };
  }
  if (kind === "gave_up" && waitedMs !== null) {
    return { about: slug, words: `gave up after ${showLogged(waitedMs)}` };
  }
  return null;
}
