/** Saying something to people: the words are loaded when there is something to say, as on most runs there is not. */

import { COLUMNS_VARIABLE, NO_COLOR_VARIABLE } from "../lock/variables.ts";
import type { Host } from "../sys/sys.ts";
import { line } from "./wording/line.ts";

type Messages = typeof import("./wording/messages.ts");

/** Writes one line to stderr. @param choose which of the messages */
export async function say(
  { terminal }: Pick<Host, "terminal">,
  choose: (messages: Messages) => string,
): Promise<void> {
  await terminal.err(line(choose(await import("./wording/messages.ts"))));
}

/** What a report goes into, where it is no terminal, is read by people all the same. */
const REPORT_WITHOUT_TERMINAL = 100;

/**
 * How wide lines for people may be.
 * @param columns of the terminal that they go to; null if they go to none
 * @param withoutTerminal where nothing says it
 */
export function widthFor(
  { environment }: Pick<Host, "environment">,
  columns: number | null,
  withoutTerminal: number,
): number {
  const wish = environment.get(COLUMNS_VARIABLE) ?? "";
  return /^[1-9]\d{0,3}$/.test(wish) ? Number(wish) : columns ?? withoutTerminal;
}

/** What a report for people may look like on stdout. */
export interface OutLooks {
  /** Places in a line. */
  readonly width: number;
  readonly hasColors: boolean;
}

export async function outLooks(
  { terminal, environment }: Pick<Host, "terminal" | "environment">,
): Promise<OutLooks> {
  const columns = await terminal.outColumns();
  return {
    width: widthFor({ environment }, columns, REPORT_WITHOUT_TERMINAL),
    hasColors: columns !== null && !environment.get(NO_COLOR_VARIABLE),
  };
}
