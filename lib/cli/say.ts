/** Saying something to people: the words are loaded when there is something to say, as on most runs there is not. */

import type { Host, Terminal } from "../sys/sys.ts";
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
const WIDTH_WITHOUT_TERMINAL = 100;

/** How wide a report may be. @return places in a line */
export async function outWidth(terminal: Terminal): Promise<number> {
  return await terminal.outColumns() ?? WIDTH_WITHOUT_TERMINAL;
}
