import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { LockFolder, setBack } from "../process/lock_folder.ts";
import { denoSys } from "../../lib/sys/deno/sys.ts";
import { FileFault } from "../../lib/sys/faults.ts";
import type { Documents, Terminal } from "../../lib/sys/sys.ts";
import { type FakeSetup, say, sayFor } from "./fake_host.ts";

const SAMPLE = [
  "2026-08-22T23:05:52Z agent-1 acquired",
  "2026-08-22T23:05:53Z agent-1 released",
  "2026-08-22T23:05:58Z agent-2 acquired",
  "2026-08-22T23:05:59Z agent-2 released",
].join("\n") + "\n";

Deno.test("status says that a lock is free, and tells of the last hold", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  const { code, out } = await sayFor(folder.root, ["status"]);
  assertEquals(code, 0);
  assertMatch(out, /^lock +\S+\/\.tmp\/lock\.lock\nstate +free\nlast hold +agent-2, 2026-08-22/);
  assertStringIncludes(out, "nobody waits");
});

Deno.test("status tells a hold with its verdict, as text and as JSON", async () => {
  await using folder = await LockFolder.make();
  assertEquals((await sayFor(folder.root, ["acquire", "--slug", "a"])).code, 0);
  const { out } = await sayFor(folder.root, ["status"]);
  assertMatch(out, /state +held\nholder +a\nmode +acquire\n/);
  assertMatch(out, /verdict +it was taken by `acquire`, which leaves no process behind/);
  const { code, out: json } = await sayFor(folder.root, ["status", "--json"]);
  const status = JSON.parse(json);
  assertEquals(code, 0);
  assertEquals(status.state, "held");
  assertEquals(status.holder.slug, "a");
  assert(status.holder.fence > 0);
  assertEquals(status.queue, []);
  assertEquals(status.remover, null);
  assertEquals(status.verdict.stopped, []);
  assertEquals(json, `${JSON.stringify(status)}\n`);
});

Deno.test("status --json is one line for a program, and indented on a terminal", async () => {
  await using folder = await LockFolder.make();
  let shown = "";
  const terminal: Terminal = {
    out: (text) => Promise.resolve(void (shown += text)),
    err: () => Promise.resolve(),
    errForPrograms: () => Promise.resolve(),
    errColumns: () => Promise.resolve(null),
    outColumns: () => Promise.resolve(80),
  };
  const { code } = await sayFor(folder.root, ["status", "--json"], { terminal });
  assertEquals(code, 0);
  assertEquals(shown, `${JSON.stringify(JSON.parse(shown), null, 2)}\n`);
  const { out } = await sayFor(folder.root, ["status", "--json"]);
  assertEquals(out, `${JSON.stringify(JSON.parse(out))}\n`);
});

Deno.test("the sentences of a report fit the terminal, else COLUMNS", async () => {
  const plan = ["plan", "--agents", "12", "--hold", "1"];
  const widest = async (setup: FakeSetup) => {
    const { out } = await say(plan, setup);
    const sentences = out.split("\n").filter((line) => !/ {2}/.test(line));
    return Math.max(...sentences.map((line) => line.length));
  };
  for (const setup of [{ columns: 60 }, { env: { COLUMNS: "60" } }]) {
    const width = await widest(setup);
    assert(width <= 60 && width > 50, `${width}`);
  }
  assert(await widest({}) > 80);
});

Deno.test("status calls an old lock stale, by the --stale it is given", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  await setBack(folder.lock, 60);
  assertStringIncludes((await sayFor(folder.root, ["status"])).out, "there is no holder record");
  assertMatch((await sayFor(folder.root, ["status"])).out, /state +held/);
  assertMatch(
    (await sayFor(folder.root, ["status", "--stale", "30"])).out,
    /state +stale \(expired\)/,
  );
});

Deno.test("status of a lock that is not empty says that nobody breaks it, and what to do", async () => {
  await using folder = await LockFolder.make();
  await Deno.mkdir(folder.lock);
  for (const name of ["a", "b", "c", "d"]) await Deno.writeTextFile(`${folder.lock}/${name}`, "");
  const { out } = await sayFor(folder.root, ["status"]);
  assertMatch(
    out,
    /^not empty +it holds [a-d], [a-d], [a-d], 1 more; a lock is never removed with its contents, however old it is: move them away$/m,
  );
  await setBack(folder.lock, 3600);
  assertMatch(
    (await sayFor(folder.root, ["status"])).out,
    /^state +stale \(expired\), but not empty: nobody breaks it$/m,
  );
  const { entries } = JSON.parse((await sayFor(folder.root, ["status", "--json"])).out);
  assertEquals(entries.toSorted(), ["a", "b", "c", "d"]);
});

Deno.test("report reads a log by name, and this lock's without one", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  for (const args of [["report"], ["report", ".tmp/lock.log"]]) {
    const { code, out } = await sayFor(folder.root, args);
    assertEquals(code, 0);
    assertStringIncludes(
      out,
      "acquired=2 released=2 gave_up=0 stale_breaks=0 (all agents got through)",
    );
    assertStringIncludes(out, "PASS: no overlapping critical sections");
  }
});

Deno.test("report of a lock without a log says so instead of passing it, and is no failure", async () => {
  await using folder = await LockFolder.make();
  const pictures = ["--svg", "a.svg", "--html", "a.html"];
  const { code, out } = await sayFor(folder.root, ["report", ...pictures]);
  assertEquals(code, 0);
  assertEquals(
    out,
    "acquired=0 released=0 gave_up=0 stale_breaks=0 (nobody acquired)\n" +
      `there is no log at ${folder.log} yet\n`,
  );
  const words = `There is no log at ${folder.log} yet`;
  assertStringIncludes(await Deno.readTextFile(`${folder.root}/a.svg`), words);
  for (const name of ["a.svg", "a.html"]) {
    const text = await Deno.readTextFile(`${folder.root}/${name}`);
    assertEquals(/PASS:|PASS<|PASS ·/.exec(text), null, name);
    assertMatch(text, /There is no log/);
  }
  const json = async () => JSON.parse((await sayFor(folder.root, ["report", "--json"])).out);
  assertEquals((await json()).no_log_at, folder.log);
  await Deno.writeTextFile(folder.log, "");
  assertEquals((await json()).no_log_at, null);
  assertStringIncludes(
    (await sayFor(folder.root, ["report"])).out,
    "PASS: no lock leaked\n\nnothing happened",
  );
});

Deno.test("report exits with 1 where two held at once, and says which lines", async () => {
  await using folder = await LockFolder.make();
  const log = "2026-08-22T23:05:52Z a acquired\n2026-08-22T23:05:53Z b acquired\n";
  await Deno.writeTextFile(folder.log, log);
  const { code, out } = await sayFor(folder.root, ["report"]);
  assertEquals(code, 1);
  assertStringIncludes(out, "FAIL: 2 agents held the lock simultaneously");
});

Deno.test("report has a doubt in amber on a terminal that shows colours, and exits with 0", async () => {
  await using folder = await LockFolder.make();
  const removed = SAMPLE.replace("agent-1 released", "ops force_release holder=agent-1");
  await Deno.writeTextFile(folder.log, removed);
  const doubt = "PASS by the log; 1 hold was cut short, see incidents";
  const shown = async (columns: number | null, env: Readonly<Record<string, string>>) => {
    let text = "";
    const terminal: Terminal = {
      ...denoSys().terminal,
      out: (piece) => Promise.resolve(void (text += piece)),
      outColumns: () => Promise.resolve(columns),
    };
    const environment = {
      ...denoSys().environment,
      get: (name: string) => env[name],
      workingFolder: folder.root,
    };
    const { code } = await sayFor(folder.root, ["report"], { terminal, environment });
    assertEquals(code, 0);
    return text.split("\n")[1];
  };
  assertEquals(await shown(100, {}), `\x1b[33m${doubt}\x1b[0m`);
  assertEquals(await shown(100, { NO_COLOR: "1" }), doubt);
  assertEquals(await shown(null, {}), doubt);
});

Deno.test("report writes a picture and a page, and takes moments and how long ago", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  const pictures = ["--svg", "a.svg", "--html", "a.html", "--until", "2026-08-22T23:05:57Z"];
  const { code, out, err } = await sayFor(folder.root, ["report", ...pictures]);
  assertEquals(code, 0);
  const wrote = (name: string) => `lock_folder_util: wrote ${folder.root}/${name}\n`;
  assertEquals(err, wrote("a.svg") + wrote("a.html"));
  assertEquals((await sayFor(folder.root, ["report", "--quiet", ...pictures])).err, "");
  assertStringIncludes(out, "acquired=1 released=1");
  assertMatch(await Deno.readTextFile(`${folder.root}/a.svg`), /^<svg/);
  assertMatch(await Deno.readTextFile(`${folder.root}/a.html`), /^<!doctype html>/i);
  for (
    const moment of ["yesterday", "2026-08-22 GMT", "2026-08-22T23", "2026-13-45", "2026-02-31", ""]
  ) {
    const wrong = await sayFor(folder.root, ["report", "--since", moment]);
    assertEquals(wrong.code, 64, moment);
    assertStringIncludes(wrong.err, "--since");
  }
});

Deno.test("report takes a moment without a zone as UTC, as the log is", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  const same = [
    "2026-08-22T23:05:57",
    "2026-08-22 23:05:57Z",
    "2026-08-23T01:05:57+02:00",
    "2026-08-23T01:05:57+0200",
    "2026-08-22T23:05:57.000Z",
    "2026-08-22T23:05:57Z",
  ];
  for (const moment of same) {
    const { out } = await sayFor(folder.root, ["report", "--until", moment]);
    assertStringIncludes(out, "acquired=1 released=1", moment);
  }
});

Deno.test("report of the lock's own log by its name knows who holds it, as without", async () => {
  await using folder = await LockFolder.make();
  await sayFor(folder.root, ["acquire", "--slug", "a"]);
  for (const named of [[], [".tmp/lock.log"], ["--dir", folder.dir, folder.log]]) {
    const { code, out } = await sayFor(folder.root, ["report", ...named]);
    assertEquals(code, 0, out);
    assertStringIncludes(out, "(a holds it now)");
    assertMatch(out, /^window .* \(now\)\n(.*\n)*now {6}a is still holding, \d+s$/m);
  }
  await Deno.copyFile(folder.log, `${folder.root}/copy.log`);
  const { code, out } = await sayFor(folder.root, ["report", "copy.log"]);
  assertEquals(code, 1);
  assertStringIncludes(out, "not released by the end of the log, or still held");
});

Deno.test("report looks once more if the lock changed hands between its log and its holder", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, `${SAMPLE}2026-08-22T23:06:00Z agent-3 acquired\n`);
  const { documents } = denoSys();
  let reads = 0;
  const read: Documents["read"] = async (path, onPiece) => {
    await documents.read(path, onPiece);
    if (++reads > 1) return;
    await Deno.writeTextFile(folder.log, "2026-08-22T23:06:01Z agent-3 released\n", {
      append: true,
    });
  };
  const parts = { documents: { ...documents, read } };
  const { code, out } = await sayFor(folder.root, ["report"], parts);
  assertEquals([code, reads], [0, 2], out);
  assertStringIncludes(out, "acquired=3 released=3");
});

Deno.test("report refuses with 65 and one line what is no log, by name or in the log's place", async () => {
  await using folder = await LockFolder.make();
  const utf16 = new Uint8Array(new Uint16Array([...SAMPLE].map((c) => c.charCodeAt(0))).buffer);
  const others: readonly (readonly [string, Uint8Array])[] = [
    ["garbage", new TextEncoder().encode("garbage\n")],
    ["packed.gz", new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x0a, 0xff, 0x0a])],
    ["utf16", utf16],
  ];
  for (const [name, bytes] of others) {
    await Deno.writeFile(`${folder.root}/${name}`, bytes);
    await Deno.writeFile(folder.log, bytes);
    for (const [path, args] of [[`${folder.root}/${name}`, [name]], [folder.log, []]] as const) {
      const { code, out, err } = await sayFor(folder.root, ["report", "--svg", "a.svg", ...args]);
      assertEquals([code, out, err.split("\n").length], [65, "", 2], name);
      assertStringIncludes(err, `lock_folder_util: ${path} is no log of a lock: `);
    }
  }
  await assertRejects(() => Deno.stat(`${folder.root}/a.svg`), Deno.errors.NotFound);
  await Deno.writeTextFile(folder.log, "garbage\n2026-08-22T23:05:52Z a acq");
  assertEquals((await sayFor(folder.root, ["report"])).code, 0, "one line with something in it");
  for (const blank of ["", "\n\n"]) {
    await Deno.writeTextFile(folder.log, blank);
    assertEquals((await sayFor(folder.root, ["report"])).code, 0);
  }
});

Deno.test("report of a file that is not there, or cannot be read, ends with 66 and names it", async () => {
  await using folder = await LockFolder.make();
  const { code, out, err } = await sayFor(folder.root, ["report", "nosuch.log"]);
  assertEquals([code, out], [66, ""]);
  assertEquals(
    err,
    `lock_folder_util: ${folder.root}/nosuch.log cannot be read: no such file or directory; check its name and its folder\n`,
  );
  const read: Documents["read"] = (path) =>
    Promise.reject(new FileFault("EIO", "read", path, "input/output error"));
  const documents = { ...denoSys().documents, read };
  const broken = await sayFor(folder.root, ["report", "night.log"], { documents });
  assertEquals(broken.code, 74, "a disk that fails is no wrong name");
});

Deno.test("report of a folder or an empty file says that it is no log, and ends with 65", async () => {
  await using folder = await LockFolder.make();
  for (const name of ["empty.log", "blank.log"]) await folder.write(name, "");
  await folder.write("blank.log", "\n\n");
  const words = [
    [".tmp", "it is a folder; name the log in it"],
    ["empty.log", "it is empty; name the log itself"],
    ["blank.log", "none of its 2 lines is of the form "],
  ] as const;
  for (const [name, why] of words) {
    const { code, out, err } = await sayFor(folder.root, ["report", name]);
    assertEquals([code, out, err.split("\n").length], [65, "", 2], name);
    assertStringIncludes(
      err,
      `lock_folder_util: ${folder.root}/${name} is no log of a lock: ${why}`,
    );
  }
});

Deno.test("report - reads standard input as a copy, and calls it so", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  const given = (text: string, ...args: string[]) => {
    const readInput: Documents["readInput"] = (onPiece) => Promise.resolve(onPiece(text));
    const documents = { ...denoSys().documents, readInput };
    return sayFor(folder.root, ["report", "-", ...args], { documents });
  };
  const open = `${SAMPLE}2026-08-22T23:06:00Z agent-3 acquired\n`;
  const { code, out } = await given(open, "--html", "a.html");
  assertEquals(code, 1, out);
  assertStringIncludes(out, "acquired=3 released=2");
  assertStringIncludes(out, "not released by the end of the log, or still held");
  assertStringIncludes(await folder.read("a.html"), "<code>standard input</code>");
  const none = await given("");
  assertEquals([none.code, none.out], [65, ""]);
  assertEquals(
    none.err,
    "lock_folder_util: standard input is no log of a lock: it is empty; name the log itself\n",
  );
});

Deno.test("plan tells a dozen agents with a plain poller what to expect", async () => {
  await using folder = await LockFolder.make();
  const fleet = ["--agents", "12", "--hold", "1", "--poll", "15", "--stagger", "60"];
  const { code, out } = await sayFor(folder.root, ["plan", ...fleet]);
  assertEquals(code, 0);
  assertStringIncludes(out, "2m 35s");
  assertStringIncludes(out, "2m 44s");
  const json = JSON.parse((await sayFor(folder.root, ["plan", ...fleet, "--json"])).out);
  assertEquals([json.agents, json.poller.gave_up], [12, 0]);
  assertEquals((await sayFor(folder.root, ["plan", "--agents", "12"])).code, 64);
});

Deno.test("report writes over no log, by whatever name it is given", async () => {
  await using folder = await LockFolder.make();
  await Deno.writeTextFile(folder.log, SAMPLE);
  await folder.write("copy.log", SAMPLE);
  await Deno.symlink(folder.log, `${folder.root}/link.html`);
  await Deno.link(folder.log, `${folder.root}/hard.html`);
  const refused = [
    ["report", "--html", ".tmp/lock.log"],
    ["report", "--svg", "link.html"],
    ["report", "--html", "hard.html"],
    ["report", "copy.log", "--html", "./copy.log"],
    ["report", "copy.log", "--svg", ".tmp/lock.log"],
  ];
  for (const args of refused) {
    const { code, err } = await sayFor(folder.root, args);
    assertEquals(code, 64, `${args}: ${err}`);
    assertMatch(err, /would be written over the log; name another file\n$/);
  }
  assertEquals(await Deno.readTextFile(folder.log), SAMPLE);
  assertEquals(await folder.read("copy.log"), SAMPLE);
});

Deno.test("report writes no picture and page over each other", async () => {
  await using folder = await LockFolder.make();
  const args = ["report", "--svg", "x", "--html", "./x"];
  const { code, err } = await sayFor(folder.root, args);
  assertEquals(code, 64);
  assertMatch(err, /--svg and --html both name x/);
});
