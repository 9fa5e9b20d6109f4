/** Renames that a share refuses for a moment, or for good. */

import { assertEquals, assertGreater, assertLess, assertRejects } from "@std/assert";
import { FileFault } from "../../../../../lib/sys/faults.ts";
import { REFUSED_FOR_UP_TO_MS, renameFile } from "../../../../../lib/sys/deno/files/file_calls.ts";

/** A rename that fails so often, and how often it was called. */
function refusing(times: number, code: string): { rename(): Promise<void>; calls: number } {
  return {
    calls: 0,
    rename() {
      const refuses = this.calls++ < times;
      return refuses
        ? Promise.reject(Object.assign(new Error("refused by the test"), { code }))
        : Promise.resolve();
    },
  };
}

Deno.test("renameFile() tries again where a share refuses because another has the file open", async () => {
  for (const code of ["EACCES", "EPERM", "EBUSY"]) {
    const share = refusing(3, code);
    await renameFile(share, "/a", "/b", REFUSED_FOR_UP_TO_MS);
    assertEquals(share.calls, 4, code);
  }
});

Deno.test("renameFile() counts its patience from the first refusal, however late that came", async () => {
  const patienceMs = 20;
  const share = refusing(1, "EACCES");
  const rename = share.rename.bind(share);
  share.rename = async () => {
    // The first answer takes longer than the patience.
    if (share.calls === 0) await new Promise((resolve) => setTimeout(resolve, 2 * patienceMs));
    await rename();
  };
  await renameFile(share, "/a", "/b", patienceMs);
  assertEquals(share.calls, 2);
});

Deno.test("renameFile() believes a refusal that stays", async () => {
  const startMs = performance.now();
  const share = refusing(Infinity, "EACCES");
  const patienceMs = 100;
  const fault = await assertRejects(() => renameFile(share, "/a", "/b", patienceMs), FileFault);
  assertEquals([fault.code, fault.operation, fault.path], ["EACCES", "rename", "/a"]);
  assertGreater(share.calls, 1);
  assertLess(performance.now() - startMs, REFUSED_FOR_UP_TO_MS);
});

Deno.test("renameFile() believes at once what no open file explains, and a disk of this machine", async () => {
  const gone = refusing(Infinity, "ENOENT");
  await assertRejects(() => renameFile(gone, "/a", "/b", REFUSED_FOR_UP_TO_MS), FileFault);
  const local = refusing(Infinity, "EACCES");
  await assertRejects(() => renameFile(local, "/a", "/b", 0), FileFault);
  assertEquals([gone.calls, local.calls], [1, 1]);
});
