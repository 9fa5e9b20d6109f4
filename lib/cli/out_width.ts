/** How wide a report may be. */

import type { Terminal } from "../sys/sys.ts";

/** What a report goes into, where it is no terminal, is read by people all the same. */
const WIDTH_WITHOUT_TERMINAL = 100;

/** @return places in a line */
export async function outWidth(terminal: Terminal): Promise<number> {
  return await terminal.outColumns() ?? WIDTH_WITHOUT_TERMINAL;
}
