/**
 * The system seam of one simulated process: each method parks a call; the scheduler picks the moment at
 * which it takes effect.
 *
 * Guarantee: an effect is atomic, and the code goes on in the same moment up to its next call, so a
 * process can be stopped between any two of its effects. Reading the clock is such a step too: a process
 * may sleep between an effect and the look at the clock that belongs to it. Random names and the
 * process's own identity depend on nobody and answer at once.
 * A file is made in two steps, as it is on a real machine: empty, then filled. If it cannot be filled, it is removed
 * again, in a step of its own.
 * Non-guarantee: no other effect is half done; an append never loses another's line.
 * Assumption: an aborted sleep ends in the same moment, as an aborted timer does.
 */

import { faultCode } from "../../../lib/sys/faults.ts";
import { REFUSED_FOR_UP_TO_MS } from "../../../lib/sys/deno/files/file_calls.ts";
import type { Closable, Content, Entry, OpenFile, Sys } from "../../../lib/sys/sys.ts";
import { grant, grantable, keepsFrom, letGo, type LockKind } from "./file_locks.ts";
import { fault } from "./folder_tree.ts";
import { entryOf, type Inode } from "./inode.ts";
import { generator } from "./numbers.ts";
import type { Handle, SimProcess } from "./sim_process.ts";
import { FILE_EPOCH_MS } from "./clocks.ts";

export function seamFor(me: SimProcess): Sys {
  return {
    files: filesFor(me),
    clock: clockFor(me),
    random: randomFor(me),
    processes: looksFor(me),
  };
}

function filesFor(me: SimProcess): Sys["files"] {
  const { world, machine } = me;
  const { tree } = world;
  const cache = machine.attributes;

  const fresh = (path: string, inode: Inode | undefined) =>
    cache?.refresh(path, inode, world.nowMs, world.showsInodes);
  /** One step that changes what stands at the paths; this machine knows of its own changes. */
  function change<T>(
    operation: string,
    paths: readonly string[],
    effect: () => T,
    detail: string | number = "",
  ): Promise<T> {
    const run = () => {
      world.refuseIfAsked(me, operation, paths[0]!);
      const answer = effect();
      if (cache) { for (const path of paths) fresh(path, tree.find(path, "stat")); }
      for (const path of paths) cache?.changed(path);
      return answer;
    };
    return me.call(operation, paths, run, { detail: `${detail}` });
  }
  /** One step that a mount may answer from what it remembers; `older` finds such an answer and changes nothing. */
  function ask<T>(
    operation: string,
    path: string,
    truth: () => T,
    older: () => (() => T) | undefined,
    detail = "",
  ): Promise<T> {
    if (!cache && !machine.isAtItsWorst) return me.call(operation, [path], truth, { detail });
    return askOneThatMayRefuse(operation, [path], truth, older, detail);
  }
  function askOneThatMayRefuse<T>(
    operation: string,
    paths: readonly string[],
    truth: () => T,
    otherwise: () => (() => T) | undefined,
    detail = "",
  ): Promise<T> {
    if (!machine.isAtItsWorst) return me.call(operation, paths, truth, { detail, otherwise });
    const worst = () => {
      const other = otherwise();
      if (other) world.trace?.push("          as the mount has it:");
      return (other ?? truth)();
    };
    return me.call(operation, paths, worst, { detail });
  }
  /** For looking at what may happen, which must not fail. */
  function standing(path: string): Inode | undefined {
    try {
      return tree.find(path, "stat");
    } catch {
      return undefined;
    }
  }
  const isAbsent = (path: string) =>
    cache?.isAbsent(path, world.nowMs) === true && standing(path) !== undefined;
  /** Nothing of the content is to be had while another's mandatory lock is on it. */
  function reach(
    inode: Inode,
    handle: number | null,
    access: "read" | "write",
    path: string,
  ): void {
    if (machine.fileLocks !== "mandatory") return;
    if (!keepsFrom(inode, handle, machine.lockDomain, access)) return;
    throw fault(machine.lockedFault, access, path);
  }
  /**
   * The second half of making a file: until then it stands there empty. The mtime is that of what stands at
   * the path by then.
   */
  function fill(path: string, inode: Inode, text: string, handle: number | null): Promise<number> {
    const detail = text;
    const written = me.call("write", [path], () => {
      world.refuseIfAsked(me, "write", path);
      reach(inode, handle, "write", path);
      tree.write(path, inode, text);
      const standing = tree.find(path, "stat");
      fresh(path, standing);
      return standing?.mtimeMs ?? null;
    }, { detail });
    return written.then((mtimeMs) => {
      if (mtimeMs === null) throw fault("ENOENT", "stat", path);
      return mtimeMs;
    });
  }
  /** What could not be filled goes again, by its path. */
  async function removeUnfilled(path: string): Promise<void> {
    await change("removeFile", [path], () => tree.removeFile(path)).catch(() => false);
  }
  /** The second half of writing over a file, which may have lost its name meanwhile. */
  function fillInPlace(path: string, inode: Inode, text: string): Promise<void> {
    return me.call("write", [path], () => {
      world.refuseIfAsked(me, "write", path);
      reach(inode, null, "write", path);
      tree.write(path, inode, text + inode.text.slice(text.length));
      if (cache) fresh(path, tree.find(path, "stat"));
      cache?.changed(path);
    }, { detail: text });
  }
  function regularFile(path: string): Inode | undefined {
    const inode = tree.file(path);
    fresh(path, inode);
    return inode;
  }

  function rename(from: string, to: string): Promise<void> {
    const { renames } = machine;
    const wish = `${me.name} ${to}`;
    const truth = () => {
      world.refuseIfAsked(me, "rename", from);
      tree.rename(from, to);
      renames.granted(wish);
      for (const path of [from, to]) {
        fresh(path, tree.find(path, "stat"));
        cache?.changed(path);
      }
    };
    if (!renames.areRefused) return me.call("rename", [from, to], truth);
    return askOneThatMayRefuse("rename", [from, to], truth, () => {
      const isBusy = standing(to) !== undefined || (standing(from)?.openHandles ?? 0) > 0;
      if (!isBusy || !renames.mayRefuse(wish, world.nowMs)) return undefined;
      return () => {
        renames.refused(wish, world.nowMs);
        throw fault("EACCES", "rename", from);
      };
    });
  }
  /** As the real files do: a refusal is believed only once it has stayed. */
  async function renameInTime(from: string, to: string): Promise<void> {
    let untilMs: number | null = null;
    for (let pauseMs = 5;; pauseMs = Math.min(2 * pauseMs, 100)) {
      try {
        return await rename(from, to);
      } catch (failure) {
        untilMs ??= world.nowMs + REFUSED_FOR_UP_TO_MS;
        if (faultCode(failure) !== "EACCES" || world.nowMs >= untilMs) throw failure;
      }
      await me.call("sleep", [], () => {}, { dueMs: world.nowMs + pauseMs });
    }
  }

  return {
    entry(path): Promise<Entry | null> {
      const truth = () => {
        world.refuseIfAsked(me, "entry", path);
        const inode = tree.find(path, "stat");
        fresh(path, inode);
        return inode ? entryOf(inode, world.showsInodes) : null;
      };
      return ask("entry", path, truth, () => {
        const older = cache?.olderEntry(path, standing(path), world.nowMs);
        return older === undefined ? undefined : () => older;
      });
    },
    list(path): Promise<string[] | null> {
      const truth = () => {
        world.refuseIfAsked(me, "list", path);
        const inode = tree.find(path, "readdir");
        if (machine.listingRefreshes) fresh(path, inode);
        cache?.listed(path, inode, world.nowMs);
        if (inode && inode.kind !== "folder") throw fault("ENOTDIR", "readdir", path);
        return inode ? world.inSomeOrder([...inode.children.keys()]) : null;
      };
      return ask("list", path, truth, () => {
        if (isAbsent(path)) return () => null;
        const names = cache?.olderNames(path, standing(path), world.nowMs);
        return names && (() => names);
      });
    },
    makeFolder(path): Promise<void> {
      const truth = () => {
        world.refuseIfAsked(me, "makeFolder", path);
        if (standing(path)) cache?.stands(path);
        tree.makeFolder(path);
        fresh(path, tree.find(path, "stat"));
        cache?.changed(path);
      };
      return ask("makeFolder", path, truth, () => {
        if (!cache?.refusesFolder(path, world.nowMs) || standing(path)) return undefined;
        return () => {
          throw fault("EEXIST", "mkdir", path);
        };
      });
    },
    removeFolder: (path) => change("removeFolder", [path], () => tree.removeFolder(path)),
    removeFile(path): Promise<boolean> {
      const truth = () => {
        world.refuseIfAsked(me, "removeFile", path);
        const removed = tree.removeFile(path);
        fresh(path, undefined);
        cache?.changed(path);
        return removed;
      };
      return ask("removeFile", path, truth, () => isAbsent(path) ? () => false : undefined);
    },
    rename: (from, to) => machine.renames.areRefused ? renameInTime(from, to) : rename(from, to),
    setMtime: (path, ms) =>
      change("setMtime", [path], () => tree.setMtime(path, ms), ms - FILE_EPOCH_MS),
    async create(path, text): Promise<number> {
      let made: Inode | undefined;
      const make = () => (made = tree.makeFile(path, "")).mtimeMs;
      const mtimeMs = await change("create", [path], make);
      if (text === "") return mtimeMs;
      try {
        return await fill(path, made!, text, null);
      } catch (failure) {
        if (faultCode(failure) !== "ENOENT") await removeUnfilled(path);
        throw failure;
      }
    },
    async overwrite(path, text): Promise<boolean> {
      let opened: Inode | undefined;
      const open = () => {
        world.refuseIfAsked(me, "overwrite", path);
        opened = regularFile(path);
        if (opened) reach(opened, null, "write", path);
        return opened !== undefined;
      };
      const older = () => isAbsent(path) ? () => false : undefined;
      if (!await ask("overwrite", path, open, older, text)) return false;
      await fillInPlace(path, opened!, text);
      return true;
    },
    append(path, line): Promise<void> {
      const append = () => {
        const standing = tree.find(path, "append");
        if (standing) reach(standing, null, "write", path);
        tree.append(path, line);
      };
      return change("append", [path], append, line);
    },
    read(path, maxBytes): Promise<Content | null> {
      const truth = () => {
        world.refuseIfAsked(me, "read", path);
        const inode = regularFile(path);
        if (!inode) return null;
        reach(inode, null, "read", path);
        if (inode.text.length > maxBytes) throw fault("EFBIG", "read", path);
        const content = { text: inode.text, mtimeMs: inode.mtimeMs };
        cache?.read(path, content, world.nowMs);
        return content;
      };
      return ask<Content | null>("read", path, truth, () => {
        if (isAbsent(path)) return () => null;
        const content = cache?.olderContent(path, standing(path), world.nowMs);
        return content && (() => content);
      });
    },
    readTail(path, maxBytes): Promise<string | null> {
      const truth = () => {
        world.refuseIfAsked(me, "readTail", path);
        const inode = regularFile(path);
        if (inode) reach(inode, null, "read", path);
        return inode?.text.slice(-maxBytes) ?? null;
      };
      return ask("readTail", path, truth, () => isAbsent(path) ? () => null : undefined);
    },
    async openNew(path, text): Promise<OpenFile> {
      const make = () => openFile(me, world.openHandle(me, tree.makeFile(path, "")), path);
      const file = await change("openNew", [path], make);
      if (text === "") return file;
      try {
        await fill(path, file.inode(), text, file.handle);
      } catch (failure) {
        if (faultCode(failure) === "ENOENT") return file;
        await file.close();
        await removeUnfilled(path);
        throw failure;
      }
      return file;
    },
    open(path): Promise<OpenFile | null> {
      const truth = () => {
        world.refuseIfAsked(me, "open", path);
        const inode = regularFile(path);
        return inode ? openFile(me, world.openHandle(me, inode), path) : null;
      };
      return ask<OpenFile | null>("open", path, truth, () => {
        return isAbsent(path) ? () => null : undefined;
      });
    },
    watch: (path, onChange): Promise<Closable> =>
      me.call("watch", [path], () => {
        if (me.machine.watch === "fails") throw fault("EMFILE", "watch", path);
        const inode = tree.find(path, "watch");
        if (!inode) throw fault("ENOENT", "watch", path);
        const number = me.nextHandle();
        const watcher = { number, process: me, inode, path, onChange, changed: new Set<string>() };
        world.watchers.add(watcher);
        return { close: () => Promise.resolve(void world.watchers.delete(watcher)) };
      }),
  };
}

/** The open file as the code sees it; its number is all that a state's text tells of it. */
interface SimOpenFile extends OpenFile {
  readonly handle: number;
  inode(): Inode;
}

/** @param path under which it was opened */
function openFile(me: SimProcess, handle: Handle, path: string): SimOpenFile {
  const { lockDomain: domain } = me.machine;
  const isMandatory = me.machine.fileLocks === "mandatory";
  const fileLocks = isMandatory ? "work" : me.machine.fileLocks;
  const { inode, number } = handle;
  const subject = `#${number}`;
  const label = [inode.label];
  const detail = subject;
  const free = (kind: LockKind) => grantable(inode, number, domain, kind);
  return {
    handle: number,
    inode: () => inode,
    write: (text) =>
      me.call("write", [path], () => {
        me.world.refuseIfAsked(me, "write", path);
        if (!handle.open) throw fault("EBADF", "write", subject);
        if (isMandatory && keepsFrom(inode, number, domain, "write")) {
          throw fault(me.machine.lockedFault, "write", path);
        }
        me.world.tree.write(path, inode, text + inode.text.slice(text.length));
      }, { detail: text }),
    tryLock: (kind) =>
      me.call(`tryLock ${kind}`, label, () => {
        if (!handle.open) throw fault("EBADF", "tryLock", subject);
        if (fileLocks !== "work") return "unknown";
        if (!free(kind)) return "held";
        grant(inode, number, domain, kind);
        return "granted";
      }, { detail }),
    lock(kind) {
      if (fileLocks === "silent") return new Promise(() => {});
      if (!handle.open) return Promise.reject(fault("EBADF", "lock", subject));
      const answer = () => {
        if (fileLocks === "none") throw fault("ENOTSUP", "lock", subject);
        handle.waiting--;
        if (handle.open) grant(inode, number, domain, kind);
        else me.world.closeHandle(me, handle);
      };
      if (fileLocks === "work") handle.waiting++;
      const ready = () => fileLocks === "none" || free(kind);
      return me.call(`lock ${kind}`, label, answer, { ready, detail });
    },
    close() {
      const { locks } = inode;
      if (!locks.some((lock) => lock.handle === number)) {
        // Nobody can tell when: nothing that is shared goes with it.
        handle.open = false;
        me.world.closeHandle(me, handle);
        return Promise.resolve();
      }
      return me.call("close", label, () => {
        handle.open = false;
        letGo(inode, number);
        me.world.closeHandle(me, handle);
      }, { detail });
    },
  };
}

function clockFor(me: SimProcess): Sys["clock"] {
  const { world, machine } = me;
  const monotonic = () => machine.clocks.monotonicMs(world.nowMs);
  const wall = () => machine.clocks.wall.nowMs(world.nowMs);
  const moment = () => ({ monotonicMs: monotonic(), wallMs: wall() });
  const read = <T>(operation: string, clock: () => T): Promise<T> => {
    const ask = () => {
      me.asks();
      return clock();
    };
    if (world.clockIsStep()) return me.call(operation, [], ask);
    const now = ask();
    if (world.hashing) me.remember(`${operation} ${JSON.stringify(now)}`);
    return Promise.resolve(now);
  };
  return {
    monotonicMs: () => read("monotonicMs", monotonic),
    wallMs: () => read("wallMs", wall),
    moment: () => read("moment", moment),
    sleep(ms, wake) {
      if (wake?.aborted) return Promise.resolve();
      const dueMs = world.nowMs + Math.max(0, Math.ceil(ms));
      const over = me.call("sleep", [], () => {}, { dueMs, detail: `${ms} ms` });
      if (!wake) return over;
      const call = me.pending.at(-1);
      return new Promise((resolve) => {
        const end = () => {
          wake.removeEventListener("abort", end);
          const at = call ? me.pending.indexOf(call) : -1;
          if (at >= 0) me.pending.splice(at, 1);
          resolve();
        };
        wake.addEventListener("abort", end);
        over.then(end);
      });
    },
  };
}

function randomFor(me: SimProcess): Sys["random"] {
  const { seed } = me.world;
  const fraction = generator(seed, me.name);
  const plain = me.name.toLowerCase().replace(/[^a-z0-9]/g, "").slice(0, 12);
  let tokens = 0;
  return {
    token() {
      const first = seed === 0
        ? ""
        : Math.floor(fraction() * 36 ** 4).toString(36).padStart(4, "0");
      return Promise.resolve(`${first}${plain}`.padEnd(20, "0") + `${++tokens}`.padStart(4, "0"));
    },
    fraction: () => Promise.resolve(seed === 0 ? 0.5 : fraction()),
  };
}

function looksFor(me: SimProcess): Sys["processes"] {
  const { machine } = me;
  const sees = machine.looks !== "unknown";
  const needsMainThread = machine.looks === "main threads";
  return {
    takings: me.takings,
    // For the words alone: no step of the protocol.
    userName: () => Promise.resolve(null),
    self: () => Promise.resolve({ pid: me.pid, processStart: me.start, machine: machine.name }),
    look: (pid) =>
      me.call(
        "look",
        [`process ${pid}`],
        () => sees ? machine.processes.look(pid, needsMainThread) : { state: "unknown" },
      ),
    hasEmptied: (namespace) =>
      me.call(
        "hasEmptied",
        [],
        () => machine.seesNamespaces ? me.world.hasEmptied(machine, namespace) : "unknown",
      ),
    inEnvironment: (text, since) =>
      me.call(
        "inEnvironment",
        [],
        () => {
          if (!sees) return "unknown";
          const found = machine.processes.inEnvironment(text, since);
          return found === "no" && machine.environments === "some" ? "unknown" : found;
        },
      ),
  };
}
