/** The ways to one folder: plain, by two mounts that share no file locks, from two pid namespaces. */

import { childrenOf } from "./linux_processes.ts";

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
  const mounts: string[] = [];
  const unmountAll = async () => {
    for (const mount of mounts) {
      await succeeds("umount", [mount]) || await succeeds("fusermount", ["-u", mount]);
      await Deno.remove(mount);
    }
  };
  for (let count = 0; count < 2; count++) {
    const mount = await Deno.makeTempDir({ prefix: "storm-mount-" });
    if (await succeeds("bindfs", [root, mount])) mounts.push(mount);
    else {
      await Deno.remove(mount);
      await unmountAll();
      throw new Error(`bindfs cannot mount ${root} on ${mount}`);
    }
  }
  return {
    sides: mounts.map((mount) => ({ root: mount, startedBy: [] })),
    [Symbol.asyncDispose]: unmountAll,
  };
}

/** Half of the contenders run in a pid namespace of their own, which they share. */
export async function twoNamespaces(root: string): Promise<Sides> {
  const unshare = new Deno.Command("unshare", {
    args: ["--pid", "--fork", "--kill-child", "--mount-proc", "sleep", "infinity"],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let first: number | undefined;
  for (let looks = 0; looks < 200 && first === undefined; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    first = (await childrenOf(unshare.pid))[0];
  }
  if (first === undefined) throw new Error("unshare made no pid namespace");
  // The new /proc is mounted by the child itself, before it becomes `sleep`.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const startedBy = ["nsenter", "--target", String(first), "--pid", "--mount", "--"];
  return {
    sides: [{ root, startedBy: [] }, { root, startedBy }],
    [Symbol.asyncDispose]: async () => {
      unshare.kill("SIGKILL");
      await unshare.status;
    },
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
  const io = { stdin: "null", stdout: "null", stderr: "null" } as const;
  try {
    return (await new Deno.Command(program, { args, ...io }).output()).success;
  } catch {
    return false;
  }
}
