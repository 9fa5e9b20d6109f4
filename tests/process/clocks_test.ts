/** Clocks that are set while the program waits. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists, LockFolder } from "./lock_folder.ts";
import { type Need, test } from "./needs.ts";
import { eventually } from "./program.ts";

/** Where distributions keep it. */
const LIBRARIES = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib64/faketime/libfaketime.so.1",
];

async function findLibrary(): Promise<string | null> {
  for (const path of LIBRARIES) if (await exists(path)) return path;
  return null;
}

const library = await findLibrary();
const FAKETIME: Need = { missing: library === null ? "libfaketime is not installed" : null };

test("a clock that is set back during a wait does not make the wait longer", async () => {
  await using folder = await LockFolder.make();
  await using holder = await folder.hold("holder");
  await folder.write("clock", "+0");
  const env = {
    LD_PRELOAD: library!,
    FAKETIME_TIMESTAMP_FILE: `${folder.root}/clock`,
    FAKETIME_NO_CACHE: "1",
    // Nobody can set this one.
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  await using waiter = folder.start(["acquire", "--slug", "waiter", "--timeout", "1.5"], { env });
  await eventually("it waits", () => waiter.err.includes("waiting"));
  await folder.write("clock", "-2h");
  const { code, err } = await waiter.finish();
  assertEquals(code, 75);
  assertStringIncludes(err, "after 1.5s");
  await holder.finish();
}, [FAKETIME]);
