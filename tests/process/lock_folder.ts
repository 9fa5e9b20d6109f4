/** A working folder with a lock folder in it, for one test. */

import { assertEquals } from "@std/assert";
import {
  eventually,
  type Outcome,
  type Place,
  runProgram,
  type Started,
  startProgram,
} from "./program.ts";

/** A `run` that holds the lock until it is let go. */
export interface Holder extends AsyncDisposable {
  readonly program: Started;
  /** Lets its command end. */
  letGo(): Promise<void>;
  /** Lets its command end and waits for the program's end. */
  finish(): Promise<Outcome>;
}

export class LockFolder implements AsyncDisposable {
  /** The working folder: where the programs are started. */
  readonly root: string;
  /** The lock folder, where the program looks for it by default. */
  readonly dir: string;
  readonly lock: string;
  readonly log: string;
  readonly state: string;
  readonly record: string;

  private constructor(root: string) {
    this.root = root;
    this.dir = `${root}/.tmp`;
    this.lock = `${this.dir}/lock.lock`;
    this.log = `${this.dir}/lock.log`;
    this.state = `${this.dir}/lock.state`;
    this.record = `${this.state}/holder.json`;
  }

  /** @param prefix of the working folder's name */
  static async make(prefix = "lock_folder_util-"): Promise<LockFolder> {
    const root = await Deno.makeTempDir({ prefix });
    const folder = new LockFolder(await Deno.realPath(root));
    await Deno.mkdir(folder.dir);
    return folder;
  }

  /** Runs the program here and waits for its end. */
  async run(args: readonly string[], place: Place = {}): Promise<Outcome> {
    return await runProgram(args, { cwd: this.root, ...place });
  }

  start(args: readonly string[], place: Place = {}): Started {
    return startProgram(args, { cwd: this.root, ...place });
  }

  /** Starts `run` with a command that waits to be let go, and waits until that command runs. */
  async hold(slug: string, flags: readonly string[] = []): Promise<Holder> {
    const holder = this.startHolding(slug, flags);
    await this.appears(`${slug}.runs`);
    return holder;
  }

  /** As `hold()`, without waiting for the command to run: the lock may be another's for now. */
  startHolding(slug: string, flags: readonly string[] = [], place: Place = {}): Holder {
    const command = shell(`: > ${slug}.runs; until [ -e ${slug}.go ]; do sleep 0.02; done`);
    const program = this.start(["run", "--slug", slug, ...flags, "--", ...command], place);
    const letGo = () => this.write(`${slug}.go`, "");
    return {
      program,
      letGo,
      finish: async () => {
        await letGo();
        return await program.finish();
      },
      [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
    };
  }

  /** Writes a file in the working folder. */
  async write(name: string, text: string): Promise<void> {
    await Deno.writeTextFile(`${this.root}/${name}`, text);
  }

  async read(name: string): Promise<string> {
    return await Deno.readTextFile(`${this.root}/${name}`);
  }

  async has(name: string): Promise<boolean> {
    return await exists(`${this.root}/${name}`);
  }

  /** Waits until a file of this name stands in the working folder. */
  async appears(name: string): Promise<void> {
    await eventually(`${name} appears`, () => this.has(name));
  }

  async logLines(): Promise<string[]> {
    try {
      return (await Deno.readTextFile(this.log)).split("\n").slice(0, -1);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** The number of the latest hold. */
  async fence(): Promise<string> {
    return String(Number(await Deno.readTextFile(`${this.state}/fence`)));
  }

  /** The log without its times: `a acquired`. */
  async events(): Promise<string[]> {
    return (await this.logLines()).map((line) => line.slice(line.indexOf(" ") + 1));
  }

  async logShows(pattern: RegExp): Promise<string> {
    return await eventually(
      `the log shows ${pattern}`,
      async () => (await this.events()).find((line) => pattern.test(line)),
    );
  }

  /** Waits until so many stand in line. */
  async waiters(count: number): Promise<void> {
    await eventually(`${count} in line`, async () => await this.inLine() === count);
  }

  /** How many stand in line. */
  async inLine(): Promise<number> {
    return (await namesIn(`${this.state}/queue`)).filter((name) => !name.startsWith(".")).length;
  }

  /**
   * Puts the process of another lock's hold where a taker of the right to remove this one stands.
   * @param other name of that lock
   */
  async plantTaker(other: string): Promise<{ slug: string; pid: number }> {
    const record = await Deno.readTextFile(`${this.dir}/${other}.state/holder.json`);
    const { slug, pid, processStart, machine } = JSON.parse(record);
    const who = { token: "b".repeat(24), slug, pid, processStart, machine, lockToken: null };
    await Deno.mkdir(`${this.state}/removing/1`, { recursive: true });
    await Deno.writeTextFile(`${this.state}/removing/1/who.json`, JSON.stringify(who));
    return { slug, pid };
  }

  /**
   * The command's process number, once the record names it and the beat that wrote it is over: its last step stamps
   * the lock with the record's mtime. Until then it would still notice what a test does to the lock.
   */
  async commandPid(): Promise<number> {
    return await eventually("a beat has named the command", async (): Promise<number | null> => {
      const { childPid } = JSON.parse(await Deno.readTextFile(this.record));
      const stamps = [await Deno.stat(this.record), await Deno.stat(this.lock)];
      const [written, stamped] = stamps.map(({ mtime }) => mtime!.getTime());
      return written === stamped ? childPid : null;
    });
  }

  /** The mutex is free, and nothing that lives is left beside it. */
  async assertFree(): Promise<void> {
    assertEquals(await exists(this.lock), false, "the lock is left held");
    assertEquals(await this.leftovers(), []);
  }

  /** What stands in the folders that are empty while nobody holds or waits, and scratch files. */
  async leftovers(): Promise<string[]> {
    const found = (await namesIn(this.dir)).filter((name) => !/^\w+\.(log|state)$/.test(name));
    for (const folder of ["", "queue", "alive", "removing"]) {
      for (const name of await namesIn(`${this.state}/${folder}`)) {
        if (folder !== "" || name.startsWith(".")) found.push(`${folder}/${name}`);
      }
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.chmod(this.dir, 0o755).catch(() => {});
    await eventually("the working folder can be removed", async () => {
      // A command that is just being ended may still be making files.
      await Deno.remove(this.root, { recursive: true }).catch(() => {});
      return !await exists(this.root);
    });
  }
}

export function shell(script: string): string[] {
  return ["sh", "-c", script];
}

export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

export async function namesIn(path: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Sets a folder's mtime back, as `touch -d '1 hour ago'` does. */
export async function setBack(path: string, seconds: number): Promise<void> {
  const time = Date.now() / 1000 - seconds;
  await Deno.utime(path, time, time);
}
