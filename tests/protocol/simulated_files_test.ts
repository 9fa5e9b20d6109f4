/**
 * The simulated files against those of this machine: the same operations, the same answers.
 *
 * Guarantee: kinds, contents, listings, error codes and file locks agree over random operations on a few
 * names. Non-guarantee: times, sizes and owners are not compared, nor the listing and the mtime of a link, which
 * the real machine follows. Assumption: Linux.
 */

import { assertEquals } from "@std/assert";
import { faultCode } from "../../lib/sys/faults.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import type { Files, OpenFile } from "../../lib/sys/sys.ts";
import { dueEvents, perform } from "./simulation/events.ts";
import { generator } from "./simulation/numbers.ts";
import { quiescence } from "./simulation/quiescence.ts";
import { seamFor } from "./simulation/seam.ts";
import { World } from "./simulation/world.ts";

const NAMES = ["a", "b", "a/x", "a/y", "b/x", "link", "a/x/deep"];
const OPERATIONS: Readonly<Record<string, (side: Side, one: string, other: string) => unknown>> = {
  entry: async ({ files }, one) => (await files.entry(one))?.kind ?? null,
  list: async ({ files }, one) => (await files.list(one))?.toSorted() ?? null,
  makeFolder: ({ files }, one) => files.makeFolder(one),
  removeFolder: ({ files }, one) => files.removeFolder(one),
  removeFile: ({ files }, one) => files.removeFile(one),
  read: async ({ files }, one) => (await files.read(one, 30))?.text ?? null,
  readTail: ({ files }, one) => files.readTail(one, 3),
  create: async ({ files }, one) => typeof await files.create(one, "created\n"),
  overwrite: ({ files }, one) => files.overwrite(one, "over"),
  append: ({ files }, one) => files.append(one, "a line\n"),
  rename: ({ files }, one, other) => files.rename(one, other),
  setMtime: ({ files }, one) => files.setMtime(one, 1_700_000_000_000),
  openNew: async (side, one) => side.opened(await side.files.openNew(one, "opened\n")),
  open: async (side, one) => side.opened(await side.files.open(one)),
  tryShared: (side) => side.file()?.tryLock("shared"),
  tryExclusive: (side) => side.file()?.tryLock("exclusive"),
  close: (side) => side.close(),
};

/** These follow a link on the real machine, or put one where others would follow it. */
const FOLLOWING = ["list", "setMtime", "rename"];

/** One of the two implementations, with the files that it has open. */
class Side {
  readonly #open: OpenFile[] = [];

  constructor(readonly files: Files, readonly root: string) {}

  opened(file: OpenFile | null): string {
    if (file) this.#open.push(file);
    return file ? "opened" : "nothing";
  }

  file(): OpenFile | undefined {
    return this.#open[0];
  }

  async close(): Promise<number> {
    await this.#open.shift()?.close();
    return this.#open.length;
  }

  async closeAll(): Promise<void> {
    while (await this.close() > 0);
  }

  async answer(operation: string, one: string, other: string): Promise<unknown> {
    try {
      const { root } = this;
      return await OPERATIONS[operation]!(this, `${root}/${one}`, `${root}/${other}`) ?? null;
    } catch (thrown) {
      const code = faultCode(thrown);
      if (code === null) throw thrown;
      return code;
    }
  }
}

/** Files of a world in which each call takes effect as soon as everything has come to rest. */
function simulated(world: World): Side {
  world.placeFolder("/share");
  world.tree.makeLink("/share/link", "a");
  const machine = world.machine({ host: "alpha" });
  let files: Files | undefined;
  const me = world.start(machine, "me", (sys) => {
    files = sys.files;
    return new Promise(() => {});
  });
  void seamFor(me);
  return new Side(files!, "/share");
}

async function inWorld<T>(world: World, answer: Promise<T>): Promise<T> {
  let done = false;
  const settled = answer.finally(() => done = true);
  settled.catch(() => {});
  for (await quiescence(); !done; await quiescence()) {
    const event = dueEvents(world, null)[0];
    if (!event) throw new Error("a call waits for ever");
    perform(world, event);
  }
  return settled;
}

Deno.test({
  name: "the simulated files answer as those of Linux do",
  ignore: Deno.build.os !== "linux",
  sanitizeOps: true,
  sanitizeResources: true,
  async fn() {
    for (let seed = 1; seed <= 60; seed++) {
      const root = await Deno.makeTempDir();
      await Deno.symlink("a", `${root}/link`);
      const world = new World();
      const [sim, real] = [simulated(world), new Side(denoSys().files, root)];
      const fraction = generator(seed, "operations");
      const pick = <T>(from: readonly T[]) => from[Math.floor(fraction() * from.length)]!;
      const done: string[] = [];
      try {
        for (let count = 0; count < 80; count++) {
          const [operation, one, other] = [pick(Object.keys(OPERATIONS)), pick(NAMES), pick(NAMES)];
          if (one === "link" && FOLLOWING.includes(operation)) continue;
          done.push(`${operation} ${one} ${other}`);
          const expected = await real.answer(operation, one, other);
          const answer = await inWorld(world, sim.answer(operation, one, other));
          assertEquals(answer, expected, `seed ${seed}: ${done.slice(-12).join("; ")}`);
        }
      } finally {
        await real.closeAll();
        await Deno.remove(root, { recursive: true });
      }
    }
  },
});
