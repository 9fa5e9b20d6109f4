/**
 * The colours of picture and page, as CSS properties. After Okabe and Ito, who chose theirs so that the
 * colour-blind tell them apart; no meaning is told by colour alone.
 */

export const LIGHT_COLOURS =
  "--ground: #f6f6f3; --ink: #1a1f25; --soft: #5c6570; --line: #e3e4e0; " +
  "--hold: #0072b2; --broken: #c27700; --lost: #a8417f; --bad: #b84300; --clash: #c8102e; --good: #00734f;";

export const DARK_COLOURS =
  "--ground: #101317; --ink: #e7eaee; --soft: #98a3af; --line: #2a3037; " +
  "--hold: #56b4e9; --broken: #f0b429; --lost: #e48cc3; --bad: #ff9257; --clash: #ff5d6e; --good: #45d3a3;";
