/** Whether the hand-offs that `report` tells are those that the commands themselves have seen. */
import { WaitsReader } from "../lib/log/waits.ts";
import { runHerd } from "./herd.ts";
import { ourLock } from "./locks.ts";
import { ourProgram } from "./programs.ts";
import { handOffsMs, median } from "./statistics.ts";
import { type Section, showMs } from "./table.ts";

const ROUNDS = 3;
const HERD = { agents: 12, holdMs: 200, settle: true };

/**
 * Compares the journal's hand-offs with those of the commands' own stamps, one by one.
 *
 * @param scratch an empty absolute folder
 * @return the result
 */
export async function measureJournal(scratch: string): Promise<Section> {
  const told: number[] = [];
  const stamped: number[] = [];
  const apart: number[] = [];
  const shells: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    shells.push(...handOffsMs((await runHerd(null, HERD, scratch))!));
    const dir = await Deno.makeTempDir({ dir: scratch });
    const stamps = await runHerd(ourLock(await ourProgram(), dir), HERD, scratch);
    if (!stamps) throw new Error("the herd took too long");
    const own = handOffsMs(stamps);
    const journal = await journalHandOffs(`${dir}/lock.state/journal`);
    if (journal.length !== own.length) {
      throw new Error(`the journal tells of ${journal.length} hand-offs, not of ${own.length}`);
    }
    told.push(...journal);
    stamped.push(...own);
    apart.push(...own.map((ms, at) => ms - journal[at]!));
  }
  const shown = (name: string, values: readonly number[]) => {
    return [name, showMs(median(values)), showMs(Math.min(...values)), showMs(Math.max(...values))];
  };
  return {
    title: "Hand-offs as report tells them",
    about:
      `${HERD.agents} agents × ${HERD.holdMs} ms, ${ROUNDS} rounds. The commands stamp their ` +
      "own start and end; a shell's own start and end lie between these stamps and the journal's.",
    columns: ["hand-off", "median", "shortest", "longest"],
    rows: [
      shown("by the commands' own stamps", stamped),
      shown("by the journal", told),
      shown("difference, one by one", apart),
      shown("a shell's end and start, without a lock", shells),
    ],
    remarks: [],
  };
}

async function journalHandOffs(path: string): Promise<readonly number[]> {
  const reader = new WaitsReader();
  reader.feed(await Deno.readTextFile(path));
  return reader.finish().handOffsMs;
}
