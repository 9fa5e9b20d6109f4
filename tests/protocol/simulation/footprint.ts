/**
 * What a call reads and changes, so that the exhaustive search need not try both orders of two calls that
 * have nothing to do with each other.
 *
 * Guarantee: two calls of different processes whose cells do not clash give the same answers and the same
 * world in either order, as long as no time passes between them.
 * Non-guarantee: renaming a folder counts as touching its own path only, not those below it; filling a file
 * counts as touching the path at which it was made.
 * Assumption: an operation that is not listed in `CELLS` is taken to clash with everything, which is right
 * for those that look at processes, at the clock, or at nothing but let code go on.
 */

import type { Call, SimProcess } from "./sim_process.ts";
import type { World } from "./world.ts";

/** `add`: comes or goes among a folder's children, which clashes with looking at them, not with other coming. */
export type Access = "read" | "write" | "add";

export interface Touch {
  readonly cell: string;
  readonly access: Access;
}

/** Null: clashes with everything. */
export type Footprint = readonly Touch[] | null;

type CellsOf = (path: string, more: readonly string[]) => Touch[];

const parentOf = (path: string) => path.slice(0, path.lastIndexOf("/")) || "/";
const read = (cell: string): Touch => ({ cell, access: "read" });
const write = (cell: string): Touch => ({ cell, access: "write" });
/** A child comes or goes: that moves its folder's mtime. */
const child = (path: string): Touch => ({ cell: `${parentOf(path)}/*`, access: "add" });
/** A child's content or times change: that wakes who watches its folder. */
const stirred = (path: string): Touch => ({ cell: `watch of ${parentOf(path)}`, access: "add" });
const changed: CellsOf = (path) => [
  write(path),
  child(path),
  stirred(path),
  read(parentOf(path)),
];
const handle: CellsOf = (path) => [write(`lock of ${path}`)];
const looked: CellsOf = (path) => [read(path)];

const CELLS: Readonly<Record<string, CellsOf>> = {
  entry: (path) => [read(path), read(`${path}/*`)],
  list: (path) => [read(path), read(`${path}/*`)],
  watch: (path) => [read(path), read(`watch of ${path}`)],
  makeFolder: changed,
  removeFolder: (path, more) => [...changed(path, more), read(`${path}/*`)],
  removeFile: changed,
  create: changed,
  openNew: changed,
  append: changed,
  setMtime: changed,
  rename: (from, [to]) => [...changed(from, []), ...changed(to ?? from, [])],
  read: looked,
  readTail: looked,
  open: looked,
  overwrite: looked,
  look: looked,
  tryLock: handle,
  lock: handle,
  close: handle,
};

/** The footprint in just this state: what fails for what stands there changes nothing. */
export function footprintNow(world: World, process: SimProcess, call: Call): Footprint {
  const operation = call.operation.split(" ")[0]!;
  const path = call.paths[0] ?? "";
  if (operation === "makeFolder" || operation === "create" || operation === "openNew") {
    if (world.stands(path)) return [read(path)];
  } else if (operation === "removeFile" || operation === "removeFolder") {
    if (!world.stands(path)) return [read(path)];
  } else if (operation === "append" && world.stands(path)) {
    return [write(path), stirred(path)];
  } else if (operation === "setMtime" || operation === "write") {
    return [write(path), stirred(path)];
  } else if (operation === "close" || operation === "tryLock") {
    const held = heldBy(process, call);
    if (operation === "close" && held === null) return [];
    if (held === "shared" || call.operation === "tryLock shared") {
      return [{ cell: `lock of ${path}`, access: "add" }];
    }
  }
  return footprintOf(call);
}

/** Which file lock the handle has that the call is about. */
function heldBy(process: SimProcess, call: Call): string | null {
  const number = Number(call.detail.slice(1));
  const handle = process.handles.find((one) => one.number === number);
  return handle?.inode.locks.find((lock) => lock.handle === number)?.kind ?? null;
}

function footprintOf(call: Call): Footprint {
  const cells = CELLS[call.operation.split(" ")[0]!];
  const [path, ...more] = call.paths.map((one) => one.replace(/\/\.$/, ""));
  return cells && path !== undefined ? cells(path, more) : null;
}

/** What goes when a process goes: its number, and the file locks that it may hold or wait for. */
export function footprintOfEnd(process: SimProcess): Footprint {
  const locks = process.handles.map(({ inode }) => write(`lock of ${inode.label}`));
  return [write(`process ${process.pid}`), ...locks];
}

const CLASHES: Readonly<Record<Access, readonly Access[]>> = {
  read: ["write", "add"],
  write: ["read", "write", "add"],
  add: ["read", "write"],
};

export function clash(one: Footprint, other: Footprint): boolean {
  if (!one || !other) return true;
  return one.some(({ cell, access }) =>
    other.some((touch) => touch.cell === cell && CLASHES[access].includes(touch.access))
  );
}
