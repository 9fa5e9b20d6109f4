import { assertEquals, assertNotEquals } from "@std/assert";
import { DenoProcesses } from "../../../lib/sys/deno/processes.ts";
import {
  hasOneNumber,
  parseIgnoredSignals,
  parseProcStat,
} from "../../../lib/sys/deno/linux/proc.ts";
import { LINUX, needProgram, test } from "../../process/needs.ts";
import { eventually, startCommand } from "../../process/program.ts";

/** `/proc/<pid>/stat` with that name: state S, group 50, terminal 34817, foreground group 60, start 98765. */
function statOf(name: string, flags = 4194304): string {
  const rest = `S 1 50 50 34817 60 ${flags} 100 0 0 0 1 2 3 4 20 0 5 0 98765 1000000 300`;
  return `4711 (${name}) ${rest} 18446744073709551615 1 1 0 0 0 0 0 4096 0 0 0 0 17 0 0 0\n`;
}

Deno.test("parseProcStat() is not deceived by names with spaces, brackets and newlines", () => {
  for (const name of ["deno", "a b", "tmux: server", "x) Z 1 1", "((", ") S 9 9 9", "a\nb", ""]) {
    assertEquals(parseProcStat(statOf(name)), {
      state: "S",
      processGroup: 50,
      terminal: 34817,
      foregroundGroup: 60,
      isKernelThread: false,
      start: "98765",
    }, name);
  }
});

Deno.test("parseProcStat() tells the kernel's own threads", () => {
  assertEquals(parseProcStat(statOf("kworker/0:1", 69238880))?.isKernelThread, true);
});

Deno.test("parseProcStat() takes nothing that was cut off", () => {
  assertEquals(parseProcStat(""), null);
  assertEquals(parseProcStat("4711 (deno) S 1 50"), null);
});

Deno.test("parseIgnoredSignals() reads the mask", () => {
  const status = "Name:\tdeno\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\n";
  assertEquals(parseIgnoredSignals(status), new Set([1, 2, 13]));
  assertEquals(parseIgnoredSignals("SigIgn:\t8000000000000000\n"), new Set([64]));
  assertEquals(parseIgnoredSignals("SigIgn:\t0000000000000000\n"), new Set<number>());
  assertEquals(parseIgnoredSignals("Name:\tdeno\n"), null);
});

Deno.test("hasOneNumber() tells who is in the first pid namespace, whatever a process calls itself", () => {
  const status = (nspid: string) =>
    `Name:\tNSpid: 1\nNStgid:\t7\t1\nNSpid:\t${nspid}\nNSsid:\t7\t1\n`;
  assertEquals(hasOneNumber(status("7")), true);
  assertEquals(hasOneNumber(status("7\t1")), false);
  assertEquals(hasOneNumber("Name:\tNSpid:\t1\n"), false);
});

const ignore = Deno.build.os !== "linux";
if (ignore) console.log("skipped: tests of /proc take Linux");

Deno.test({
  name: "self() is the process that look() finds alive with the same start",
  ignore,
  fn: async () => {
    const processes = new DenoProcesses();
    const self = await processes.self();
    assertEquals(self.pid, Deno.pid);
    assertNotEquals(self.processStart, null);
    assertNotEquals(self.machine.bootId, null);
    assertEquals(self.machine.timeNamespace, await Deno.readLink("/proc/self/ns/time"));
    assertEquals(await processes.look(Deno.pid), {
      state: "alive",
      start: self.processStart,
      stopped: false,
    });
  },
});

Deno.test({
  name: "a process that has ended is gone, waited for or not, and has no environment",
  ignore,
  fn: async () => {
    const processes = new DenoProcesses();
    // It ends once its parent has become a program that never asks for its children: a zombie.
    const endsLater = "until grep -q sleep /proc/$PPID/comm; do sleep 0.01; done";
    const shell = new Deno.Command("sh", {
      args: ["-c", `sh -c '${endsLater}' & echo $!; exec sleep 300`],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const reader = shell.stdout.getReader();
    const { value } = await reader.read();
    const zombie = Number(new TextDecoder().decode(value));
    await eventually("the process is a zombie", async () => {
      return parseProcStat(await Deno.readTextFile(`/proc/${zombie}/stat`))?.state === "Z";
    });
    assertEquals(await processes.look(zombie), { state: "gone" });
    const { start } = parseProcStat(await Deno.readTextFile(`/proc/${zombie}/stat`))!;
    // Only root may read what everybody else's processes were started with.
    if (Deno.uid() === 0) {
      assertEquals(await processes.inEnvironment(crypto.randomUUID(), start), "no");
    }
    shell.kill("SIGKILL");
    await shell.status;
    await reader.cancel();
    assertEquals(await processes.look(shell.pid), { state: "gone" });
  },
});

Deno.test({
  name: "look() tells of a process that it is stopped, until it goes on",
  ignore,
  fn: async () => {
    const processes = new DenoProcesses();
    const sleeper = new Deno.Command("sleep", { args: ["300"] }).spawn();
    const becomes = (stopped: boolean) =>
      eventually(stopped ? "it is stopped" : "it goes on", async () => {
        const found = await processes.look(sleeper.pid);
        return found.state === "alive" && found.stopped === stopped;
      });
    try {
      await becomes(false);
      sleeper.kill("SIGSTOP");
      await becomes(true);
      sleeper.kill("SIGCONT");
      await becomes(false);
    } finally {
      sleeper.kill("SIGKILL");
      await sleeper.status;
    }
  },
});

/** Its first thread ends, and another reads standard input to its end. */
const HEADLESS = `
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
ctypes.CDLL(None).pthread_exit(None)
`;

const KINDS = {
  "a process": ["cat"],
  "one whose first thread has ended": ["python3", "-c", HEADLESS],
};

for (const [what, [program, ...args]] of Object.entries(KINDS)) {
  Deno.test({
    name: `inEnvironment() finds ${what} by what it was started with, and look() finds it alive`,
    ignore: ignore || !await isThere(program!),
    fn: async () => {
      const processes = new DenoProcesses();
      const { processStart } = await processes.self();
      const token = crypto.randomUUID().replaceAll("-", "");
      const reader = new Deno.Command(program!, {
        args,
        env: { LOCK_FOLDER_HELD: `/x/lock.lock:${token}` },
        stdin: "piped",
      }).spawn();
      if (args.length > 0) {
        await eventually("its first thread has ended", async () => {
          return parseProcStat(await Deno.readTextFile(`/proc/${reader.pid}/stat`))?.state === "Z";
        });
      }
      assertEquals(await processes.inEnvironment(token, processStart), "yes");
      assertEquals((await processes.look(reader.pid)).state, "alive");
      await reader.stdin.close();
      await reader.status;
      assertNotEquals(await processes.inEnvironment(token, processStart), "yes");
    },
  });
}

async function isThere(program: string): Promise<boolean> {
  try {
    await new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
      .output();
    return true;
  } catch {
    console.log(`skipped: a test that takes ${program}`);
    return false;
  }
}

test("hasEmptied() tells a container from an earlier one whose number it was given", async () => {
  const processes = new DenoProcesses();
  const { processStart } = await processes.self();
  // It is younger than we are: one that we were in would be older.
  await using container = startCommand("unshare", ["-p", "-f", "--kill-child", "cat"], {
    keepsStdin: true,
  });
  const first = await eventually("its first process runs", async () => {
    const { pid } = container;
    return (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim() || null;
  });
  const namespace = await Deno.readLink(`/proc/${first}/ns/pid`);
  assertEquals(await processes.hasEmptied(namespace, null), "no");
  assertNotEquals(await processes.hasEmptied(namespace, processStart), "no");
  const { start } = parseProcStat(await Deno.readTextFile(`/proc/${first}/stat`))!;
  assertEquals(await processes.hasEmptied(namespace, start), "no");
}, [LINUX, await needProgram("unshare", ["-p", "-f", "true"], "root and pid namespaces")]);
