/**
 * The colours of picture and page, as CSS properties. After Okabe and Ito, who chose theirs so that the
 * colour-blind tell them apart; no meaning is told by colour alone.
 */

/**
 * Of a lock with slots the lanes are slots, and each agent has a colour of its own, until they come again. None of them
 * is one that means something.
 */
const AGENT_COLOURS = [
  ...["#0072b2", "#4c9f38", "#8a63c9", "#00897b", "#56b4e9", "#64748b", "#5560c8", "#8a8f2a"],
];

export const AGENT_LOOKS = AGENT_COLOURS.length;

/** @param agent its number */
export function agentLook(agent: number): string {
  return `c${agent % AGENT_COLOURS.length}`;
}

export const AGENT_STYLE = AGENT_COLOURS.map((colour, look) => `.c${look} { fill: ${colour}; }`)
  .join(" ");

export const LIGHT_COLOURS =
  "--ground: #f6f6f3; --ink: #1a1f25; --soft: #5c6570; --line: #e3e4e0; " +
  "--hold: #0072b2; --broken: #c27700; --lost: #a8417f; --bad: #b84300; --clash: #c8102e; --good: #00734f;";

export const DARK_COLOURS =
  "--ground: #101317; --ink: #e7eaee; --soft: #98a3af; --line: #2a3037; " +
  "--hold: #56b4e9; --broken: #f0b429; --lost: #e48cc3; --bad: #ff9257; --clash: #ff5d6e; --good: #45d3a3;";
