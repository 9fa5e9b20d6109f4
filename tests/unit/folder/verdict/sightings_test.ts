/** What is counted of the time that others have watched. */

import { assertEquals } from "@std/assert";
import { parseSeen } from "../../../../lib/folder/verdict/sightings.ts";
import { type Seen, Sightings } from "../../../../lib/folder/verdict/sightings.ts";

function watcher() {
  const time = { ms: 1000 };
  const clock = {
    monotonicMs: () => Promise.resolve(time.ms),
    moment: () => Promise.resolve({ monotonicMs: time.ms, wallMs: time.ms }),
    wallMs: () => Promise.resolve(time.ms),
    sleep: () => Promise.resolve(),
  };
  return { time, sightings: new Sightings(clock) };
}

const resumes = (sightings: Sightings, seen: Seen) => sightings.resume(() => Promise.resolve(seen));

Deno.test("what an earlier call has seen is counted if the same is still shown (V23)", async () => {
  const { time, sightings } = watcher();
  assertEquals(await sightings.stillForMs("beat", "7"), 0);
  assertEquals(await resumes(sightings, { beat: { value: "7", stillForMs: 400 } }), true);
  assertEquals(await sightings.stillForMs("beat", "7"), 400);
  time.ms += 50;
  assertEquals(await sightings.stillForMs("beat", "7"), 450);
  assertEquals(await sightings.all(), { beat: { value: "7", stillForMs: 450 } });
  assertEquals(await sightings.stillForMs("beat", "8"), 0);
});

Deno.test("two that watch in the same time are not added up (V23)", async () => {
  const { time, sightings } = watcher();
  await sightings.stillForMs("beat", "7");
  time.ms += 300;
  await resumes(sightings, { beat: { value: "7", stillForMs: 290 } });
  assertEquals(await sightings.stillForMs("beat", "7"), 300);
});

Deno.test("what others have seen is read once (V23)", async () => {
  const { time, sightings } = watcher();
  const seen = { beat: { value: "7", stillForMs: 100 }, lock: { value: "3", stillForMs: 200 } };
  assertEquals(await resumes(sightings, seen), true);
  assertEquals(await resumes(sightings, { beat: { value: "7", stillForMs: 9000 } }), false);
  time.ms += 10;
  assertEquals(await sightings.stillForMs("beat", "7"), 100);
  assertEquals(await sightings.stillForMs("lock", "4"), 0, "it shows something else by now");
});

Deno.test("parseSeen() takes nothing that is not of its form", () => {
  const good = { value: "a", stillForMs: 5 };
  const bad = [
    ...["", "[]", "null", "7", '{"beat":null}', '{"beat":{"value":1,"stillForMs":5}}'],
    ...['{"beat":{"value":"a","stillForMs":-1}}', '{"beat":{"value":"a","stillForMs":1e300}}'],
    ...['{"beat":{"value":"a","stillForMs":"5"}}', '{"ticket 1-x":{"value":"a","stillForMs":5}}'],
  ];
  for (const text of bad) assertEquals(parseSeen(text), {}, text);
  const kept = { "beat": good, "lock": good, "lock and record": good, "taker 12": good };
  assertEquals(parseSeen(JSON.stringify({ ...kept, other: good })), kept);
});
