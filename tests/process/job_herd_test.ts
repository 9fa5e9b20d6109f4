/** Many jobs of many callers, which are killed at any moment: each runs once, or is told not to be submitted. */

import { assertEquals } from "@std/assert";
import { LockFolder } from "./lock_folder.ts";
import { LINUX, needProgram, test } from "./needs.ts";
import { eventually, PROGRAM, startCommand } from "./program.ts";

const CALLERS = 10;
const JOBS = 10;
/** A caller takes some hundredths of a second: so it is killed before, within and after its work. */
const KILLED_WITHIN_MS = 250;

/** Numbers from 0 to 1, the same for the same seed: mulberry32. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One call, in a session of its own, of which something is killed some time after its start. */
async function call(folder: LockFolder, name: string, next: () => number): Promise<void> {
  const line =
    `"$L" run --detach --slug ${name} -- sh -c 'echo ${name} >> ran; echo of ${name}; exit 7'`;
  const script = `echo $$ > ${name}.pid; ${line} > ${name}.told 2> ${name}.err; true`;
  const caller = startCommand("setsid", ["-w", "sh", "-c", script], {
    cwd: folder.root,
    env: { L: PROGRAM },
  });
  // Not before it is written: 0 would be our own group.
  const pid = await eventually(`${name} tells its number`, async () => {
    return await folder.has(`${name}.pid`) && Number(await folder.read(`${name}.pid`)) || null;
  });
  const whom = next();
  const timer = Promise.withResolvers<void>();
  setTimeout(timer.resolve, next() * KILLED_WITHIN_MS);
  await Promise.race([timer.promise, caller.ended]);
  const target = whom < 0.5 ? pid : -pid;
  try {
    Deno.kill(target, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
  await caller.ended;
}

test(
  "a hundred jobs of ten callers that are killed at any moment: each runs once, or is told not to",
  async () => {
    await using folder = await LockFolder.make();
    const seed = Number(Deno.env.get("SEED") ?? Math.floor(Math.random() * 2 ** 32));
    console.log(`seed ${seed}`);
    const next = numbers(seed);
    await Promise.all(Array.from({ length: CALLERS }, async (_, caller) => {
      for (let job = 0; job < JOBS; job++) await call(folder, `c${caller}j${job}`, next);
    }));
    const told = new Map<string, string>();
    for (let caller = 0; caller < CALLERS; caller++) {
      for (let job = 0; job < JOBS; job++) {
        const name = `c${caller}j${job}`;
        const id = /^job (\w+) /.exec(await folder.read(`${name}.told`))?.[1];
        if (id) told.set(name, id);
      }
    }
    // Those too that were submitted, though their callers did not live to hear of it.
    const { jobs } = JSON.parse((await folder.run(["status", "--json"])).out);
    const begun: { id: string; slug: string }[] = [];
    for (const { id, slug } of jobs) {
      const [first, second] = [await folder.run(["result", id]), await folder.run(["result", id])];
      assertEquals(first, second, `seed ${seed}: ${slug}`);
      // Its caller was killed before it started it.
      const neverStarted = first.code === 74 && /was never started/.test(first.err);
      if (neverStarted) continue;
      assertEquals([first.code, first.out], [7, `of ${slug}\n`], `seed ${seed}: ${slug}`);
      begun.push({ id, slug });
    }
    const ran = (await folder.read("ran")).trimEnd().split("\n");
    assertEquals(ran.length, new Set(ran).size, `seed ${seed}: a job ran twice`);
    const slugs = begun.map(({ slug }) => slug);
    assertEquals([...ran].sort(), [...slugs].sort(), `seed ${seed}`);
    for (const [name, id] of told) {
      assertEquals(
        jobs.some((job: { id: string }) => job.id === id),
        true,
        `seed ${seed}: ${name}`,
      );
    }
    assertEquals(told.size > 0, true, "some callers lived to hear of it");
  },
  [LINUX, await needProgram("setsid", ["true"])],
);
