/** The ways to one folder: plain, by two mounts that share no file locks, from two pid namespaces. */

import { childrenOf, programOf } from "./linux_processes.ts";
import { pause } from "./pause.ts";

/** How some of the contenders reach the storm's folder. */
export interface Side {
  /** The storm's folder, as these see it. */
  readonly root: string;
  /** What their programs are started by. */
  readonly startedBy: readonly string[];
}

export interface Sides extends AsyncDisposable {
  /** The contenders are dealt out to them in turn. */
  readonly sides: readonly Side[];
}

export function oneSide(root: string): Sides {
  return { sides: [{ root, startedBy: [] }], [Symbol.asyncDispose]: async () => {} };
}

/** @param secondRoot the same folder by another path, such as a second mount */
export function twoPaths(root: string, secondRoot: string): Sides {
  return {
    sides: [{ root, startedBy: [] }, { root: secondRoot, startedBy: [] }],
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Two bindfs mounts: each keeps file locks to itself and tells no watch of the other's changes. */
export async function twoMounts(root: string): Promise<Sides> {
  await using mounts = new AsyncDisposableStack();
  const first = mounts.use(await Mount.make(root));
  const second = mounts.use(await Mount.make(root));
  const made = mounts.move();
  return {
    sides: [first, second].map(({ path }) => ({ root: path, startedBy: [] })),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

const NO_IO = { stdin: "null", stdout: "null", stderr: "null" } as const;

/** bindfs in the foreground: an interrupted storm takes its mounts along. */
class Mount implements AsyncDisposable {
  readonly path: string;
  readonly #bindfs: Deno.ChildProcess;

  private constructor(path: string, bindfs: Deno.ChildProcess) {
    this.path = path;
    this.#bindfs = bindfs;
  }

  static async make(root: string): Promise<Mount> {
    const path = await Deno.makeTempDir({ prefix: "storm-mount-" });
    const { dev } = await Deno.stat(path);
    const bindfs = new Deno.Command("bindfs", { args: ["-f", root, path], ...NO_IO }).spawn();
    const mount = new Mount(path, bindfs);
    let ended = false;
    void bindfs.status.then(() => ended = true);
    const isMounted = async () => (await Deno.stat(path)).dev !== dev;
    if (await happens(async () => ended || await isMounted()) && !ended) return mount;
    await mount[Symbol.asyncDispose]();
    throw new Error(`bindfs cannot mount ${root} on ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#bindfs.kill("SIGTERM");
    } catch {
      // It has ended.
    }
    await this.#bindfs.status;
    await Deno.remove(this.path);
  }
}

/** Half of the contenders run in a pid namespace of their own, which they share. */
export async function twoNamespaces(root: string): Promise<Sides> {
  // It lasts for as long as `cat` has something to read from: an interrupted storm takes it along.
  const unshare = new Deno.Command("unshare", {
    args: ["--pid", "--fork", "--mount-proc", "cat"],
    ...NO_IO,
    stdin: "piped",
  }).spawn();
  const close = async () => {
    await unshare.stdin.close();
    await unshare.status;
  };
  let first: number | undefined;
  const isReady = async () => {
    first = (await childrenOf(unshare.pid))[0];
    // The new /proc is mounted by the child itself, before it becomes `cat`.
    return first !== undefined && await programOf(first) === "cat";
  };
  if (!await happens(isReady)) {
    await close();
    throw new Error("unshare made no pid namespace");
  }
  const startedBy = ["nsenter", "--target", String(first), "--pid", "--mount", "--"];
  return {
    sides: [{ root, startedBy: [] }, { root, startedBy }],
    [Symbol.asyncDispose]: close,
  };
}

/** Why there can be no two mounts here; null if there can. */
export async function mountsMissing(): Promise<string | null> {
  if (Deno.build.os !== "linux") return "it takes Linux";
  if (!await succeeds("bindfs", ["--version"])) return "there is no bindfs here";
  const folder = await Deno.makeTempDir({ prefix: "storm-need-" });
  try {
    await (await twoMounts(folder))[Symbol.asyncDispose]();
    return null;
  } catch {
    return "bindfs cannot mount here";
  } finally {
    await Deno.remove(folder);
  }
}

/** Why there can be no second pid namespace here; null if there can. */
export async function namespacesMissing(): Promise<string | null> {
  if (Deno.build.os !== "linux") return "it takes Linux";
  const works = await succeeds("unshare", ["--pid", "--fork", "--mount-proc", "true"]);
  return works ? null : "it takes root, to make a pid namespace";
}

async function succeeds(program: string, args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args, ...NO_IO }).output()).success;
  } catch {
    return false;
  }
}

async function happens(look: () => Promise<boolean>): Promise<boolean> {
  for (let looks = 0; looks < 500; looks++) {
    if (await look()) return true;
    await pause(10);
  }
  return false;
}
