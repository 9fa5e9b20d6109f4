import { assertEquals } from "@std/assert";
import { Part } from "../../../lib/doctor/helper_orders.ts";
import { denoSys } from "../../../lib/sys/deno/sys.ts";
import type { OpenFile } from "../../../lib/sys/sys.ts";

type Answer = "granted" | "held" | "unknown";

async function lockNew(answers: Answer[]): Promise<{ told: string[]; closed: boolean }> {
  let closed = false;
  const file: OpenFile = {
    write: () => Promise.resolve(),
    lock: () => Promise.resolve(),
    tryLock: () => Promise.resolve(answers.shift()!),
    close: () => Promise.resolve(void (closed = true)),
  };
  const sys = denoSys();
  const files = { ...sys.files, openNew: () => Promise.resolve(file) };
  const told = await new Part({ ...sys, files }).carryOut({ do: "lock new", path: "/f" });
  return { told, closed };
}

Deno.test("a new file that seems held is asked for again: nobody else has it", async () => {
  assertEquals(await lockNew(["held", "held", "granted"]), { told: ["granted"], closed: false });
});

Deno.test("where there are no file locks, a new file is not asked for again", async () => {
  assertEquals(await lockNew(["unknown"]), { told: ["unknown"], closed: true });
});
