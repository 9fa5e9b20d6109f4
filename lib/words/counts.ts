/** Numbers of things, as people read them. */

/** `1 agent`, `2 agents`, `1,000 agents`. */
export function countOf(count: number, noun: string): string {
  return `${showCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** With commas at the thousands, whatever the language of the machine. */
export function showCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
