/** How long the program goes on after a signal. */

import { assertEquals } from "@std/assert";
import { endSoon, hear } from "../../lib/cli/waiting.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import type { Host } from "../../lib/sys/sys.ts";

/** @return when the program is ended, if file calls are answered at these times after the signal */
async function endsAfterMs(answersAtMs: readonly number[]): Promise<number> {
  const sys = denoSys();
  let nowMs = 0;
  let endedAtMs = NaN;
  const later = [...answersAtMs];
  const clock = {
    ...sys.clock,
    monotonicMs: () => Promise.resolve(nowMs),
    async sleep(ms: number) {
      const endMs = nowMs + ms;
      while (later.length > 0 && later[0]! <= endMs) {
        nowMs = later.shift()!;
        await host.files.list("/").catch(() => {});
        await Promise.resolve();
      }
      nowMs = endMs;
    },
  };
  const files = { ...sys.files, list: () => Promise.reject(new Error("an answer, too")) };
  const terminal = { ...sys.terminal, err: () => Promise.resolve() };
  const commands = {
    ...sys.commands,
    endBy: () => Promise.resolve(void (endedAtMs = nowMs)),
  };
  const host = hear({ ...sys, files, clock, terminal, commands } as Host);
  await endSoon(host, "/w/lock.lock", "SIGTERM");
  return endedAtMs;
}

Deno.test("two seconds after a signal the program ends, whatever call is still awaited", async () => {
  assertEquals(await endsAfterMs([]), 2000);
});

Deno.test("while file calls are answered the program goes on after a signal, to give the lock back", async () => {
  assertEquals(await endsAfterMs([500, 1500, 3000, 4900]), 6900);
});

Deno.test("what is tried again and again is given up some time after a signal", async () => {
  const everySecond = Array.from({ length: 100 }, (_, index) => 1000 * (index + 1));
  assertEquals(await endsAfterMs(everySecond), 15_000);
});
