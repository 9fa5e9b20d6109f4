/** What goes wrong between the grant and the command. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Commands } from "../../lib/sys/sys.ts";
import { deafCommands, sayOn } from "./fake_host.ts";
import { MemoryLock } from "./memory_lock.ts";

const defect = () => Promise.reject(new Error("a defect"));
const sound = deafCommands();

/** Each fails at one step between the grant and the start. */
const BEFORE_THE_START: Record<string, Commands> = {
  "drawing in signals": {
    ...sound,
    catchSignals: () => Promise.resolve({ flush: defect, close: () => {} }),
  },
  "handing signals over": {
    ...sound,
    catchSignals: () =>
      Promise.resolve({
        flush: () => Promise.resolve(),
        close: () => {
          throw new Error("a defect");
        },
      }),
  },
};

let caught = 0;
const FROM_THE_START_ON: Record<string, Commands> = {
  "starting": { ...sound, start: defect },
  "catching signals again": {
    ...sound,
    catchSignals: () => caught++ === 0 ? sound.catchSignals(() => {}) : defect(),
  },
};

function givesBack(command: readonly string[], steps: Record<string, Commands>): void {
  for (const [step, commands] of Object.entries(steps)) {
    Deno.test(`${command[0]} gives the lock back where ${step} fails by a defect`, async () => {
      const lock = new MemoryLock();
      const { code, err } = await sayOn(lock, command, { commands });
      assertEquals(code, 70);
      assertMatch(err, /defect/);
      assertEquals(lock.events, ["a acquired", "a released"]);
    });
  }
}

givesBack(["run", "--slug", "a", "--", "true"], { ...BEFORE_THE_START, ...FROM_THE_START_ON });
givesBack(["acquire", "--slug", "a"], BEFORE_THE_START);

Deno.test("what befalls a hold is written before the program ends, however slow the terminal is", async () => {
  const lock = new MemoryLock();
  const commands: Commands = {
    ...sound,
    start: () => {
      lock.remove();
      return Promise.resolve({
        pid: Deno.pid,
        ended: Promise.resolve({ code: 0 }),
        signal: async () => {},
      });
    },
  };
  let err = "";
  const terminal = {
    out: () => Promise.resolve(),
    errForPrograms: () => Promise.resolve(),
    err: (text: string) =>
      new Promise<void>((resolve) => setTimeout(() => resolve(void (err += text)))),
    errColumns: () => Promise.resolve(null),
    outColumns: () => Promise.resolve(null),
  };
  const run = ["run", "--slug", "a", "--quiet", "--", "true"];
  await sayOn(lock, run, { commands, terminal });
  assertMatch(err, /memory:lock is lost: /);
});
