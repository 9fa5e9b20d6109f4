/** The real files, on a temporary folder. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { FileFault } from "../../../../../lib/sys/faults.ts";
import { appendLine } from "../../../../../lib/sys/deno/files/append_line.ts";
import { denoSys } from "../../../../../lib/sys/deno/sys.ts";
import { type FileCalls, OFF_THREAD } from "../../../../../lib/sys/deno/files/file_calls.ts";
import { temporaryFolder } from "../../../temporary_folder.ts";

const { files } = denoSys();

async function codeOf(operation: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => operation, FileFault)).code;
}

/** Windows needs a right for links that few have; its codes differ. */
const ignore = Deno.build.os === "windows";
if (ignore) console.log("skipped: some tests of real files take POSIX links and codes");

function test(name: string, fn: (dir: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore,
    fn: async () => {
      await using folder = await temporaryFolder();
      await fn(folder.path);
    },
  });
}

test("makeFolder() succeeds once", async (dir) => {
  await files.makeFolder(`${dir}/lock`);
  assertEquals(await codeOf(files.makeFolder(`${dir}/lock`)), "EEXIST");
});

test("makeFolder() says EEXIST for a file, a link and a dangling link too", async (dir) => {
  await Deno.writeTextFile(`${dir}/file`, "");
  await Deno.symlink(dir, `${dir}/link`);
  await Deno.symlink(`${dir}/nowhere`, `${dir}/dangling`);
  for (const name of ["file", "link", "dangling"]) {
    assertEquals(await codeOf(files.makeFolder(`${dir}/${name}`)), "EEXIST", name);
  }
});

test("makeFolder() makes no parents", async (dir) => {
  assertEquals(await codeOf(files.makeFolder(`${dir}/a/b`)), "ENOENT");
});

test("removeFolder() removes an empty folder and nothing else", async (dir) => {
  await files.makeFolder(`${dir}/full`);
  await Deno.writeTextFile(`${dir}/full/x`, "");
  await Deno.symlink(`${dir}/full`, `${dir}/link`);
  assertEquals(await codeOf(files.removeFolder(`${dir}/full`)), "ENOTEMPTY");
  assertEquals(await codeOf(files.removeFolder(`${dir}/full/x`)), "ENOTDIR");
  assertEquals(await codeOf(files.removeFolder(`${dir}/link`)), "ENOTDIR");
  assertEquals(await codeOf(files.removeFolder(`${dir}/missing`)), "ENOENT");
  await Deno.remove(`${dir}/full/x`);
  await files.removeFolder(`${dir}/full`);
  assertEquals(await files.entry(`${dir}/full`), null);
});

test("removeFile() removes files and links, never a folder", async (dir) => {
  await Deno.writeTextFile(`${dir}/x`, "");
  await Deno.symlink(dir, `${dir}/link`);
  await files.makeFolder(`${dir}/folder`);
  assertEquals(await files.removeFile(`${dir}/x`), true);
  assertEquals(await files.removeFile(`${dir}/link`), true);
  assertEquals(await files.removeFile(`${dir}/x`), false);
  assertEquals(await codeOf(files.removeFile(`${dir}/folder`)), "EISDIR");
});

test("entry() tells kinds apart and follows no link", async (dir) => {
  await Deno.writeTextFile(`${dir}/file`, "12345", { mode: 0o640 });
  await Deno.symlink(`${dir}/file`, `${dir}/link`);
  assertEquals((await files.entry(dir))?.kind, "folder");
  assertEquals((await files.entry(`${dir}/link`))?.kind, "link");
  assertEquals(await files.entry(`${dir}/missing`), null);
  const file = (await files.entry(`${dir}/file`))!;
  assertEquals([file.kind, file.sizeBytes, file.uid, file.mode], ["file", 5, Deno.uid(), 0o640]);
});

test("list() gives names, and null for a missing folder", async (dir) => {
  await Deno.writeTextFile(`${dir}/a`, "");
  await Deno.writeTextFile(`${dir}/.b`, "");
  assertEquals((await files.list(dir))?.sort(), [".b", "a"]);
  assertEquals(await files.list(`${dir}/missing`), null);
  assertEquals(await codeOf(files.list(`${dir}/a`)), "ENOTDIR");
});

test("setMtime() and entry() agree to the millisecond", async (dir) => {
  await files.makeFolder(`${dir}/lock`);
  await files.setMtime(`${dir}/lock`, 1_800_000_000_123);
  assertEquals((await files.entry(`${dir}/lock`))?.mtimeMs, 1_800_000_000_123);
  assertEquals(await codeOf(files.setMtime(`${dir}/missing`, 0)), "ENOENT");
});

test("create() makes a file once and gives its mtime", async (dir) => {
  const mtimeMs = await files.create(`${dir}/x`, "text");
  assertEquals((await files.entry(`${dir}/x`))?.mtimeMs, mtimeMs);
  assertEquals(await codeOf(files.create(`${dir}/x`, "other")), "EEXIST");
  assertEquals(await files.read(`${dir}/x`, 100), { text: "text", mtimeMs });
});

test("create() follows no link, dangling or not", async (dir) => {
  await Deno.symlink(`${dir}/target`, `${dir}/link`);
  assertEquals(await codeOf(files.create(`${dir}/link`, "x")), "EEXIST");
  assertEquals(await codeOf(files.openNew(`${dir}/link`, "x")), "EEXIST");
  assertEquals(await files.entry(`${dir}/target`), null);
});

test("read() follows no link, reads no folder or pipe, and nothing that is too large", async (dir) => {
  await Deno.writeTextFile(`${dir}/file`, "x".repeat(100));
  await Deno.symlink(`${dir}/file`, `${dir}/link`);
  assertEquals((await files.read(`${dir}/file`, 100))?.text.length, 100);
  assertEquals(await codeOf(files.read(`${dir}/file`, 99)), "EFBIG");
  assertEquals(await codeOf(files.read(`${dir}/link`, 100)), "ELOOP");
  assertEquals(await codeOf(files.read(dir, 100)), "EISDIR");
  assertEquals(await codeOf(files.readTail(`${dir}/link`, 100)), "ELOOP");
  assertEquals(await codeOf(files.open(`${dir}/link`)), "ELOOP");
  assertEquals(await files.read(`${dir}/missing`, 100), null);
  assertEquals(await files.open(`${dir}/missing`), null);
});

test("readTail() reads the end", async (dir) => {
  await Deno.writeTextFile(`${dir}/log`, "0123456789");
  assertEquals(await files.readTail(`${dir}/log`, 4), "6789");
  assertEquals(await files.readTail(`${dir}/log`, 100), "0123456789");
  assertEquals(await files.readTail(`${dir}/missing`, 4), null);
});

test("rename() replaces a file as a whole", async (dir) => {
  await Deno.writeTextFile(`${dir}/old`, "old");
  await Deno.writeTextFile(`${dir}/new`, "new");
  await files.rename(`${dir}/new`, `${dir}/old`);
  assertEquals((await files.read(`${dir}/old`, 10))?.text, "new");
  assertEquals(await codeOf(files.rename(`${dir}/new`, `${dir}/old`)), "ENOENT");
});

test("append() makes the log, adds whole lines and mends a line that was left without its end", async (dir) => {
  await files.append(`${dir}/log`, "one\n");
  await files.append(`${dir}/log`, "two\n");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "one\ntwo\n");
  await Deno.writeTextFile(`${dir}/log`, "cut o", { append: true });
  await files.append(`${dir}/log`, "three\n");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "one\ntwo\ncut o\nthree\n");
});

test("append() of nothing only finds out whether it could be written", async (dir) => {
  await Deno.writeTextFile(`${dir}/log`, "cut o");
  await files.append(`${dir}/log`, "");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "cut o");
});

test("append() follows no link, dangling or not, and says so", async (dir) => {
  await Deno.writeTextFile(`${dir}/precious`, "precious");
  await Deno.symlink(`${dir}/precious`, `${dir}/link`);
  await Deno.symlink(`${dir}/nowhere`, `${dir}/dangling`);
  assertEquals(await codeOf(files.append(`${dir}/link`, "x\n")), "ELOOP");
  assertEquals(await codeOf(files.append(`${dir}/dangling`, "x\n")), "ELOOP");
  assertEquals(await Deno.readTextFile(`${dir}/precious`), "precious");
  assertEquals(await files.entry(`${dir}/nowhere`), null);
});

test("append() from several processes keeps every line whole and loses none", async (dir) => {
  const code = `
    import { denoSys } from ${
    JSON.stringify(import.meta.resolve("../../../../../lib/sys/deno/sys.ts"))
  };
    const [path, name] = Deno.args;
    for (let i = 0; i < 100; i++) {
      await denoSys().files.append(path, name + " " + i + " " + name.repeat(500) + "\\n");
    }
    Deno.exit(0);`;
  const script = `${dir}/writer.ts`;
  await Deno.writeTextFile(script, code);
  const writers = ["a", "b", "c", "d"].map((name) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--no-config", script, `${dir}/log`, name],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).output()
  );
  for (const { success, stderr } of await Promise.all(writers)) {
    assert(success, new TextDecoder().decode(stderr));
  }
  const lines = (await Deno.readTextFile(`${dir}/log`)).split("\n").slice(0, -1);
  assertEquals(lines.length, 400);
  for (const name of ["a", "b", "c", "d"]) {
    const theirs = lines.filter((line) => line.startsWith(`${name} `));
    assertEquals(theirs, theirs.map((_, index) => `${name} ${index} ${name.repeat(500)}`));
  }
});

test("a file lock that answers EACCES is held, for an append too; any other fault is none", async (dir) => {
  const asked: string[] = [];
  const refusing = (code: string): FileCalls => ({
    ...OFF_THREAD,
    tryLock: () => {
      asked.push(code);
      return Promise.reject(Object.assign(new Error(code), { code }));
    },
  });
  await appendLine(refusing("EACCES"), `${dir}/log`, "a\n");
  const waited = asked.length;
  await appendLine(refusing("ENOLCK"), `${dir}/log`, "b\n");
  assertEquals([waited > 1, asked.length - waited], [true, 1], "a held lock is asked for again");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "a\nb\n");
});

/** A log on a share whose file locks are mandatory, while another process has its lock for so many questions. */
function heldByAnother(questions: number): FileCalls {
  let left = questions;
  const refused = () => Promise.reject(Object.assign(new Error("refused"), { code: "EACCES" }));
  return {
    ...OFF_THREAD,
    tryLock: () => left-- > 0 ? refused() : Promise.resolve(true),
    read: (file, into) => left > 0 ? refused() : OFF_THREAD.read(file, into),
    write: (file, bytes) => left > 0 ? refused() : OFF_THREAD.write(file, bytes),
  };
}

test("append() waits for a log that only its file lock's holder may write", async (dir) => {
  await appendLine(OFF_THREAD, `${dir}/log`, "a\n");
  await appendLine(heldByAnother(60), `${dir}/log`, "b\n");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "a\nb\n");
});

test("append() tries again where the write is refused, and the file lock had told nothing (G4)", async (dir) => {
  await appendLine(OFF_THREAD, `${dir}/log`, "a\n");
  const refused = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
  let questions = 0;
  let writes = 0;
  const calls: FileCalls = {
    ...OFF_THREAD,
    tryLock: () => questions++ === 0 ? refused("ENOLCK") : Promise.resolve(true),
    write: (file, bytes) => writes++ === 0 ? refused("EACCES") : OFF_THREAD.write(file, bytes),
  };
  await appendLine(calls, `${dir}/log`, "b\n");
  assertEquals(await Deno.readTextFile(`${dir}/log`), "a\nb\n");
});

test("append() says what keeps a line from a log whose file lock is never let go", async (dir) => {
  await appendLine(OFF_THREAD, `${dir}/log`, "a\n");
  const appended = appendLine(heldByAnother(Infinity), `${dir}/log`, "b\n");
  const fault = await assertRejects(
    () => appended,
    FileFault,
    "another process keeps its file lock",
  );
  assertEquals([fault.code, fault.operation], ["EBUSY", "append"]);
  assertEquals(await Deno.readTextFile(`${dir}/log`), "a\n");
});

test("a file lock excludes another open file, and is let go by closing", async (dir) => {
  const one = await files.openNew(`${dir}/x`, "text");
  const two = (await files.open(`${dir}/x`))!;
  const three = (await files.open(`${dir}/x`))!;
  assertEquals(await one.tryLock("exclusive"), "granted");
  assertEquals(await two.tryLock("shared"), "held");
  await one.close();
  await one.close();
  assertEquals(await two.tryLock("shared"), "granted");
  assertEquals(await three.tryLock("shared"), "granted", "shared ones do not exclude each other");
  await two.close();
  await three.close();
});

test("lock() waits until the other lets go", async (dir) => {
  const one = await files.openNew(`${dir}/x`, "");
  const two = (await files.open(`${dir}/x`))!;
  await one.tryLock("exclusive");
  let granted = false;
  const waiting = two.lock("exclusive").then(() => granted = true);
  assertEquals(await (await files.open(`${dir}/x`))!.close(), undefined);
  assertEquals(granted, false);
  await one.close();
  await waiting;
  await two.close();
});

test("watch() sees a folder in it vanish, and can be closed twice", async (dir) => {
  await files.makeFolder(`${dir}/lock`);
  const seen = Promise.withResolvers<void>();
  const watch = await files.watch(dir, (paths) => {
    if (paths.some((path) => path.endsWith("/lock"))) seen.resolve();
  });
  await files.removeFolder(`${dir}/lock`);
  await seen.promise;
  await watch.close();
  await watch.close();
});

test("faults carry the operation, the path and the system's sentence", async (dir) => {
  const fault = await assertRejects(() => files.makeFolder(`${dir}/a/b`), FileFault);
  assertEquals([fault.operation, fault.path], ["mkdir", `${dir}/a/b`]);
  assertEquals(fault.reason, "no such file or directory");
});
