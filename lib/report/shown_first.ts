/** Which of many are shown where there is room for some: the busiest agents, the gravest incidents. */

import type { AgentFigures } from "../log/history_summary.ts";
import type { Incident, IncidentKind } from "../log/incidents.ts";

/** The graver, the later. */
export const BY_GRAVITY: readonly IncidentKind[] = [
  "gave_up",
  "not_removed",
  "max_hold",
  "stray_release",
  "force_release",
  "stale_break",
  "late_release",
  "lost",
];

/** Who held the longest comes first. */
export function byHeld(a: AgentFigures, b: AgentFigures): number {
  return b.totalMs - a.totalMs || b.holds - a.holds;
}

/** All in their order if there is room for them, else those that held the most, the busiest first. */
export function busiest(agents: readonly AgentFigures[], most: number): readonly AgentFigures[] {
  if (agents.length <= most) return agents;
  return agents.toSorted(byHeld).slice(0, most);
}

/** The gravest, of equally grave ones the latest; in the order of the log. */
export function gravest(incidents: readonly Incident[], most: number): Incident[] {
  const gravity = ({ kind }: Incident) => BY_GRAVITY.indexOf(kind);
  return incidents
    .toSorted((a, b) => gravity(b) - gravity(a) || b.line - a.line)
    .slice(0, most)
    .sort((a, b) => a.line - b.line);
}
