/** A short storm, and the command that outlives `--stale`. `deno task storm` is the long one. */

import { assertEquals } from "@std/assert";
import { insideCommand, overlapsSeenInside } from "../storm/inside.ts";
import { replay } from "../storm/replay.ts";
import { type Part, partMissing, runPart } from "../storm/storm.ts";
import { exists, LockFolder, setBack } from "./lock_folder.ts";
import { LINUX, test } from "./needs.ts";
import { eventually, startCommand, type Started } from "./program.ts";

/** A finding can be looked for again with `deno task storm --only PART --seed N`. */
const SEED = 1 + Math.floor(Math.random() * 1e9);

async function testPart(part: Part, name: string): Promise<void> {
  const missing = await partMissing(part, null);
  test(name, async () => {
    const sizes = { rounds: 3, sideRounds: 2, holds: 12, processes: 6 };
    const plan = { ...sizes, seed: SEED, dir: null, secondDir: null, tell: () => {} };
    const { findings, summary } = await runPart(part, plan);
    assertEquals(findings, [], `seed ${SEED}: ${summary}`);
  }, [{ missing }]);
}

await testPart("stale", "storm: many that meet one old lock break it once and take turns");
await testPart("kills", "storm: under kills and freezes never two are inside, nor is a lock left");
await testPart("mounts", "storm: two mounts without common file locks take turns");
await testPart("namespaces", "storm: two pid namespaces take turns");

function startInside(ground: string, slug: string, staySeconds: number): Started {
  const [program, ...args] = insideCommand({ ground, staySeconds, someAreKilled: true });
  return startCommand(program!, args, { env: { LOCK_FOLDER_SLUG: slug } });
}

test(
  "storm: its marker tells of two inside, be one of them frozen, but not of a dead one",
  async () => {
    await using folder = await LockFolder.make();
    const [ground, seen] = [folder.root, () => overlapsSeenInside(folder.root)];
    await using dead = startInside(ground, "dead", 60);
    await folder.appears("marker");
    dead.signal("SIGKILL");
    await dead.ended;
    await using frozen = startInside(ground, "frozen", 0.3);
    await eventually("it is inside", async () => await folder.read("marker") === `${frozen.pid}\n`);
    frozen.signal("SIGSTOP");
    assertEquals(await seen(), []);
    await using second = startInside(ground, "second", 0);
    assertEquals((await second.finish()).code, 0);
    assertEquals(await seen(), [`second (${second.pid}) came in while ${frozen.pid} was inside`]);
    frozen.signal("SIGCONT");
    await frozen.finish();
    assertEquals((await seen())[1], `frozen (${frozen.pid}) was inside when nobody came in`);
  },
  [LINUX],
);

Deno.test("storm: the log replayed tells of two that hold", () => {
  const lines = ["a acquired", "b stale_break age=1s reason=dead holder=a", "b acquired"];
  const stamped = lines.map((line) => `2026-01-01T00:00:00Z ${line}`);
  assertEquals(replay(stamped).overlaps, []);
  assertEquals(replay([stamped[0]!, stamped[2]!]).overlaps, [
    "log: line 2: b acquired while a held",
  ]);
});

const STALE_SECONDS = 2;

/** Breaks by age as careless scripts do: no evidence, no right to remove, whole seconds. */
const BREAKING_PEER = `
until mkdir .tmp/lock.lock 2> /dev/null; do
  made=$(stat -c %Y .tmp/lock.lock 2> /dev/null) || continue
  age=$(($(date +%s) - made))
  [ $age -gt ${STALE_SECONDS} ] && rmdir .tmp/lock.lock && echo "$age" >> broken
  sleep 0.05
done
: > peer.held
rmdir .tmp/lock.lock
`;

test(
  "a command that outlives --stale three times keeps its lock, from waiters and from a peer that breaks by age",
  async () => {
    await using folder = await LockFolder.make();
    const flags = ["--stale", String(STALE_SECONDS), "--poll", "0.1"];
    const seconds = 3 * STALE_SECONDS + 0.5;
    await using holder = folder.start([
      ...["run", "--slug", "holder", ...flags, "--", "sh", "-c"],
      `: > holder.runs; sleep ${seconds}; [ ! -e peer.held ] && [ ! -e a.runs ] && [ ! -e b.runs ]`,
    ]);
    await folder.appears("holder.runs");
    await using a = folder.startHolding("a", flags);
    await using b = folder.startHolding("b", flags);
    await using peer = startCommand("sh", ["-c", BREAKING_PEER], { cwd: folder.root });
    assertEquals((await holder.finish()).code, 0, "somebody came in while the command ran");
    // Either of the two may have come first.
    for (const waiter of [a, b]) await waiter.letGo();
    for (const waiter of [a, b]) assertEquals((await waiter.finish()).code, 0);
    assertEquals((await peer.finish()).code, 0);
    assertEquals(await folder.has("broken"), false, "the peer found the lock old");
    const events = await folder.events();
    assertEquals(events.slice(0, 2), ["holder acquired", "holder released"]);
    assertEquals(events.filter((line) => !/ (acquired|released)$/.test(line)), []);
    await folder.assertFree();
  },
  [LINUX],
);

test("the peer that breaks by age does break a lock that nobody freshens", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 3600);
  await using peer = startCommand("sh", ["-c", BREAKING_PEER], { cwd: folder.root });
  await eventually("the peer breaks the lock", () => exists(`${folder.root}/broken`));
  assertEquals((await peer.finish()).code, 0);
}, [LINUX]);
