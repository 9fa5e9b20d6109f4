import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { sayFor } from "./fake_host.ts";

const SAMPLE = [
  "2026-08-22T23:05:52Z agent-1 acquired",
  "2026-08-22T23:05:53Z agent-1 released",
  "2026-08-22T23:05:58Z agent-2 acquired",
  "2026-08-22T23:05:59Z agent-2 released",
].join("\n") + "\n";

async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "lock_folder_util-" });
  try {
    await Deno.mkdir(`${folder}/.tmp`);
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("status says that a lock is free, and tells of the last hold", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/.tmp/lock.log`, SAMPLE);
    const { code, out } = await sayFor(folder, ["status"]);
    assertEquals(code, 0);
    assertMatch(out, /^lock +\S+\/\.tmp\/lock\.lock\nstate +free\nlast hold +agent-2, 2026-08-22/);
    assertStringIncludes(out, "nobody waits");
  });
});

Deno.test("status tells a hold with its verdict, as text and as JSON", async () => {
  await inFolder(async (folder) => {
    assertEquals((await sayFor(folder, ["acquire", "--slug", "a"])).code, 0);
    const { out } = await sayFor(folder, ["status"]);
    assertMatch(out, /state +held\nholder +a\nmode +acquire\n/);
    assertMatch(out, /verdict +it was taken by `acquire`, which leaves no process behind/);
    const { code, out: json } = await sayFor(folder, ["status", "--json"]);
    const status = JSON.parse(json);
    assertEquals(code, 0);
    assertEquals(status.state, "held");
    assertEquals(status.holder.slug, "a");
    assertEquals(status.holder.fence, 1);
    assertEquals(status.queue, []);
    assertEquals(status.verdict.stopped, []);
  });
});

Deno.test("status calls an old lock stale, by the --stale it is given", async () => {
  await inFolder(async (folder) => {
    const lock = `${folder}/.tmp/lock.lock`;
    await Deno.mkdir(lock);
    const before = new Date(Date.now() - 60_000);
    await Deno.utime(lock, before, before);
    assertStringIncludes((await sayFor(folder, ["status"])).out, "there is no holder record");
    assertMatch((await sayFor(folder, ["status"])).out, /state +held/);
    assertMatch(
      (await sayFor(folder, ["status", "--stale", "30"])).out,
      /state +stale \(expired\)/,
    );
  });
});

Deno.test("report reads a log by name, and this lock's without one", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/.tmp/lock.log`, SAMPLE);
    for (const args of [["report"], ["report", ".tmp/lock.log"]]) {
      const { code, out } = await sayFor(folder, args);
      assertEquals(code, 0);
      assertStringIncludes(
        out,
        "acquired=2 released=2 gave_up=0 stale_breaks=0 (all agents got through)",
      );
      assertStringIncludes(out, "PASS: no overlapping critical sections");
    }
  });
});

Deno.test("report exits with 1 where two held at once, and says which lines", async () => {
  await inFolder(async (folder) => {
    const log = "2026-08-22T23:05:52Z a acquired\n2026-08-22T23:05:53Z b acquired\n";
    await Deno.writeTextFile(`${folder}/.tmp/lock.log`, log);
    const { code, out } = await sayFor(folder, ["report"]);
    assertEquals(code, 1);
    assertStringIncludes(out, "FAIL: 2 agents held the lock simultaneously");
  });
});

Deno.test("report writes a picture and a page, and takes moments and how long ago", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/.tmp/lock.log`, SAMPLE);
    const pictures = ["--svg", "a.svg", "--html", "a.html", "--until", "2026-08-22T23:05:57Z"];
    const { code, out, err } = await sayFor(folder, ["report", ...pictures]);
    assertEquals(code, 0);
    const wrote = (name: string) => `lock_folder_util: wrote ${folder}/${name}\n`;
    assertEquals(err, wrote("a.svg") + wrote("a.html"));
    assertEquals((await sayFor(folder, ["report", "--quiet", ...pictures])).err, "");
    assertStringIncludes(out, "acquired=1 released=1");
    assertMatch(await Deno.readTextFile(`${folder}/a.svg`), /^<svg/);
    assertMatch(await Deno.readTextFile(`${folder}/a.html`), /^<!doctype html>/i);
    const wrong = await sayFor(folder, ["report", "--since", "yesterday"]);
    assertEquals(wrong.code, 64);
    assertStringIncludes(wrong.err, "--since");
  });
});

Deno.test("report of a file that is not there names it", async () => {
  await inFolder(async (folder) => {
    const { code, err } = await sayFor(folder, ["report", "nosuch.log"]);
    assertEquals(code, 78);
    assertStringIncludes(err, "nosuch.log");
  });
});

Deno.test("plan tells a dozen agents with a plain poller what to expect", async () => {
  await inFolder(async (folder) => {
    const fleet = ["--agents", "12", "--hold", "1", "--poll", "15", "--stagger", "60"];
    const { code, out } = await sayFor(folder, ["plan", ...fleet]);
    assertEquals(code, 0);
    assertStringIncludes(out, "2m 35s");
    assertStringIncludes(out, "2m 44s");
    const json = JSON.parse((await sayFor(folder, ["plan", ...fleet, "--json"])).out);
    assert(typeof json === "object");
    assertEquals((await sayFor(folder, ["plan", "--agents", "12"])).code, 64);
  });
});
