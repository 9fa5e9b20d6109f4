/**
 * The lock around an asynchronous function in Deno, by the library: no other process is needed.
 *
 *     mkdir -p .tmp && deno run --allow-all deno.ts
 */
import { GaveUp, withLock } from "../lib/mod.ts";

const lock = { dir: ".tmp", slug: `deno-${Deno.pid}`, timeoutMs: 600_000 };

try {
  await withLock(lock, async (hold) => {
    const count = Number(await Deno.readTextFile("counter.txt").catch(() => "0"));
    await new Promise((resolve) => setTimeout(resolve, 100)); // the work; others would read the same number
    hold.lost.throwIfAborted(); // before a step that cannot be undone
    await Deno.writeTextFile("counter.txt", `${count + 1}\n`);
  });
} catch (error) {
  if (!(error instanceof GaveUp)) throw error;
  console.error(`${error.holder?.slug ?? "somebody"} still holds the lock: ${error.holder?.why}`);
  Deno.exit(75);
}
