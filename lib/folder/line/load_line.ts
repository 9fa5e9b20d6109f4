/** The line is loaded when somebody has to wait: a `run` on a free lock starts without it. */

type InLine = typeof import("./in_line.ts");

let loaded: InLine | null = null;

/** Once loaded it is there at once, with nothing to wait for outside of JavaScript: a simulated world needs that. */
export async function loadLine(): Promise<InLine> {
  return loaded ??= await import("./in_line.ts");
}
