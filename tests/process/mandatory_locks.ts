/**
 * Loaded before the program (`--preload`): its file locks become mandatory, as they are on Windows and on SMB
 * shares. What one open file has locked cannot be read or written through any other, be it of the same process.
 * A shared lock lets others read.
 *
 * The kernel's own file locks decide, across processes: Linux lists them in `/proc/locks`. Nothing is locked to
 * find out, so the program's own questions are answered as without this.
 *
 * `MANDATORY_LOCKS` names the system whose answers are given: `windows` or `smb`.
 */

interface Lock {
  readonly pid: number;
  readonly isExclusive: boolean;
}

/** Which of our own open files has the file lock of this inode. */
const ours = new Map<number, Deno.FsFile>();

const LIKE_SMB = Deno.env.get("MANDATORY_LOCKS") === "smb";

/** `1: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF`; a request that waits has `->` in second place. */
const LISTED = /^\d+: FLOCK +\S+ +(READ|WRITE) +(\d+) \S+:(\d+) /;

function locksOf(inode: number): Lock[] {
  return Deno.readTextFileSync("/proc/locks").split("\n").flatMap((line) => {
    const [, kind, pid, listed] = LISTED.exec(line) ?? [];
    return Number(listed) === inode ? [{ pid: Number(pid), isExclusive: kind === "WRITE" }] : [];
  });
}

function inodeOf(file: Deno.FsFile): number {
  return file.statSync().ino!;
}

/** Whether another open file has a lock that forbids this. */
function isForbidden(file: Deno.FsFile, use: "read" | "write"): boolean {
  const inode = inodeOf(file);
  const isOwn = ({ pid }: Lock) => pid === Deno.pid && ours.get(inode) === file;
  return locksOf(inode).some((lock) => !isOwn(lock) && (lock.isExclusive || use === "write"));
}

function refuse(): never {
  if (LIKE_SMB) {
    throw Object.assign(new Deno.errors.PermissionDenied("Permission denied (os error 13)"), {
      code: "EACCES",
    });
  }
  throw new Error(
    "The process cannot access the file because another process has locked a portion of the file. (os error 33)",
  );
}

function check(file: Deno.FsFile, use: "read" | "write"): void {
  if (isForbidden(file, use)) refuse();
}

/** An SMB server says that it is forbidden where another has the file lock. */
function noteLock(file: Deno.FsFile, granted: boolean): boolean {
  if (granted) ours.set(inodeOf(file), file);
  else if (LIKE_SMB) refuse();
  return granted;
}

const files = Deno.FsFile.prototype;
const real = { ...Object.getOwnPropertyDescriptors(files) };

/** Puts another method in place of one of the run-time's, which it is given to call. */
function replace<Name extends keyof Deno.FsFile>(
  name: Name,
  make: (before: Deno.FsFile[Name]) => unknown,
): void {
  const before = real[name]?.value as Deno.FsFile[Name] | undefined;
  if (before === undefined) throw new Error(`this run-time has no FsFile.${String(name)}`);
  Object.defineProperty(files, name, { value: make(before), configurable: true });
}

replace("readSync", (before) =>
  function (this: Deno.FsFile, into: Uint8Array) {
    check(this, "read");
    return before.call(this, into);
  });
replace("read", (before) =>
  async function (this: Deno.FsFile, into: Uint8Array) {
    check(this, "read");
    return await before.call(this, into);
  });
replace("writeSync", (before) =>
  function (this: Deno.FsFile, bytes: Uint8Array) {
    check(this, "write");
    return before.call(this, bytes);
  });
replace("write", (before) =>
  async function (this: Deno.FsFile, bytes: Uint8Array) {
    check(this, "write");
    return await before.call(this, bytes);
  });
replace("tryLockSync", (before) =>
  function (this: Deno.FsFile, exclusive?: boolean) {
    return noteLock(this, before.call(this, exclusive));
  });
replace("tryLock", (before) =>
  async function (this: Deno.FsFile, exclusive?: boolean) {
    return noteLock(this, await before.call(this, exclusive));
  });
replace("lock", (before) =>
  async function (this: Deno.FsFile, exclusive?: boolean) {
    await before.call(this, exclusive);
    noteLock(this, true);
  });
replace("close", (before) =>
  function (this: Deno.FsFile) {
    for (const [inode, file] of ours) if (file === this) ours.delete(inode);
    before.call(this);
  });
