#!/usr/bin/env node
/**
 * The lock around an asynchronous function in Node:
 *
 *     mkdir -p .tmp && node node.mjs
 *
 * A small process holds the lock for us, and lets go when its standard input ends: when the function has
 * ended, or when we die, however that comes about.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout } from "node:timers/promises";

const STAY = "console.log('held'); process.stdin.resume()";

async function withLock(slug, flags, work) {
  const run = ["run", "--slug", slug, "--on-lost", "terminate", ...flags];
  const holder = spawn("lock_folder_util", [...run, "--", process.execPath, "-e", STAY], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true, // Ctrl-C is ours to handle, the lock stays until the function has ended
  });
  holder.stdin.on("error", () => {}); // it has ended already; its exit status says why
  const ended = once(holder, "close");
  ended.catch(() => {}); // told where it is awaited
  const [held] = await Promise.race([once(holder.stdout, "data"), ended]);
  // Its exit status instead of its word: it has said why on stderr; 75: it gave up waiting.
  if (!(held instanceof Uint8Array)) process.exit(held ?? 1);
  try {
    return await work();
  } finally {
    holder.stdin.end();
    const [status] = await ended;
    if (status !== 0) console.error(`the lock was lost or not given back (exit status ${status})`);
    process.exitCode ||= status ?? 1;
  }
}

await withLock(`node-${process.pid}`, ["--timeout", "10m"], async () => {
  const count = Number(await readFile("counter.txt", "utf8").catch(() => "0"));
  await setTimeout(100); // the work; without the lock, others would read the same number now
  await writeFile("counter.txt", `${count + 1}\n`);
});
