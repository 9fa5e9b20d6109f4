/**
 * Starting a command in the working folder as it is: posix_spawn(3) of the C library.
 *
 * The run-time's own start changes into the working folder by its name, which fails in one that has been removed, or
 * that this user may not enter (`sudo -u` out of a private home). A process that is started without that stands
 * where we stand, as under any shell.
 */

import { HAS_PROC } from "./proc.ts";
import type { Child, CommandLine, Ended, SignalName } from "../../sys.ts";

const SPAWN = {
  posix_spawnp: {
    parameters: ["buffer", "buffer", "pointer", "buffer", "buffer", "buffer"],
    result: "i32",
  },
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  posix_spawnattr_setsigdefault: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawnattr_setsigmask: { parameters: ["buffer", "buffer"], result: "i32" },
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32", nonblocking: true },
  strerror: { parameters: ["i32"], result: "pointer" },
} as const;

type Bytes = Uint8Array<ArrayBuffer>;
type Libc = Deno.DynamicLibrary<typeof SPAWN>["symbols"];

/** `posix_spawnattr_t` takes 336 bytes with glibc, and `sigset_t` 128. A library that writes more finds room. */
const STRUCT_BYTES = 1024;
/** From spawn.h. */
const SET_SIGNAL_DEFAULTS = 0x04;
const SET_SIGNAL_MASK = 0x08;
/** From signal(7). */
const SIGPIPE = 13;
/** As shells have it. */
const SIGNAL_BASE = 128;

/** @return null where it cannot be done: on another system than Linux, without glibc or without `/proc` */
export function spawnInPlace({ program, args, env }: CommandLine): Child | null {
  const libc = openLibc();
  const inherited = libc && ownEnvironment();
  if (!inherited) return null;
  const kept = inherited.filter((entry) => !(nameOf(entry) in env));
  const added = Object.entries(env).map(([name, value]) => bytes(`${name}=${value}`));
  const words = [program, ...args].map(bytes);
  return new SpawnedChild(libc, spawn(libc, words, [...kept, ...added]));
}

function openLibc(): Libc | null {
  if (Deno.build.os !== "linux") return null;
  try {
    return Deno.dlopen("libc.so.6", SPAWN).symbols;
  } catch {
    return null;
  }
}

/**
 * Our environment as it was given to us, each variable in its own bytes: not all of it need be UTF-8. (The C library's
 * `environ` cannot be asked for by its name: a program may have a copy of its own, which is the one in use.)
 */
function ownEnvironment(): Bytes[] | null {
  if (!HAS_PROC) return null;
  try {
    return splitAtZeros(Deno.readFileSync("/proc/self/environ"));
  } catch {
    return null;
  }
}

function nameOf(entry: Bytes): string {
  return new TextDecoder().decode(entry).split("=", 1)[0]!;
}

/**
 * @param words the program first
 * @return the process number
 */
function spawn(libc: Libc, words: readonly Bytes[], environment: readonly Bytes[]): number {
  const pid = new Int32Array(1);
  // All in one, which begins with the program: as a parameter of the call it stays where it is.
  const texts = cStrings([...words, ...environment]);
  const pointers = pointersInto(texts);
  const failed = libc.posix_spawnp(
    bytesOf(pid),
    texts,
    null,
    attributes(libc),
    untilNothing(pointers.slice(0, words.length)),
    untilNothing(pointers.slice(words.length)),
  );
  if (failed !== 0) throw new Error(`${sentenceOf(libc, failed)} (os error ${failed})`);
  return pid[0]!;
}

/** As the run-time starts programs: no signal is held back, and a broken pipe ends who writes to it. */
function attributes(libc: Libc): Bytes {
  const attributes = new Uint8Array(STRUCT_BYTES);
  const pipe = new Uint8Array(STRUCT_BYTES);
  pipe[(SIGPIPE - 1) >> 3] = 1 << ((SIGPIPE - 1) & 7);
  libc.posix_spawnattr_init(attributes);
  libc.posix_spawnattr_setsigdefault(attributes, pipe);
  libc.posix_spawnattr_setsigmask(attributes, new Uint8Array(STRUCT_BYTES));
  libc.posix_spawnattr_setflags(attributes, SET_SIGNAL_DEFAULTS | SET_SIGNAL_MASK);
  return attributes;
}

function bytes(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function splitAtZeros(all: Bytes): Bytes[] {
  const parts: Bytes[] = [];
  for (let start = 0; start < all.length;) {
    const end = all.indexOf(0, start);
    parts.push(all.subarray(start, end < 0 ? all.length : end));
    start = end < 0 ? all.length : end + 1;
  }
  return parts;
}

/** One after another, each with a zero byte at its end. */
function cStrings(words: readonly Bytes[]): Bytes {
  const all = new Uint8Array(words.reduce((sum, { length }) => sum + length + 1, 0));
  let start = 0;
  for (const word of words) {
    all.set(word, start);
    start += word.length + 1;
  }
  return all;
}

/** Where each of such words begins. */
function pointersInto(words: Bytes): bigint[] {
  const address = Deno.UnsafePointer.value(Deno.UnsafePointer.of(words));
  const pointers: bigint[] = [];
  for (let start = 0; start < words.length; start = words.indexOf(0, start) + 1) {
    pointers.push(address + BigInt(start));
  }
  return pointers;
}

/** As C has a list: its end is a pointer to nothing. */
function untilNothing(pointers: readonly bigint[]): Bytes {
  return bytesOf(new BigUint64Array([...pointers, 0n]));
}

function bytesOf(
  view: Int32Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>,
): Bytes {
  return new Uint8Array(view.buffer);
}

function sentenceOf(libc: Libc, error: number): string {
  const sentence = libc.strerror(error);
  return sentence ? Deno.UnsafePointerView.getCString(sentence) : `error ${error}`;
}

class SpawnedChild implements Child {
  readonly ended: Promise<Ended>;
  #over = false;

  constructor(libc: Libc, readonly pid: number) {
    this.ended = this.#end(libc);
  }

  async #end(libc: Libc): Promise<Ended> {
    const status = new Int32Array(1);
    const found = await libc.waitpid(this.pid, bytesOf(status), 0);
    this.#over = true;
    return { code: found === this.pid ? codeOf(status[0]!) : SIGNAL_BASE };
  }

  signal(name: SignalName): Promise<void> {
    try {
      if (!this.#over) Deno.kill(this.pid, name as Deno.Signal);
    } catch {
      // It has ended.
    }
    return Promise.resolve();
  }
}

/** What waitpid(2) tells: the signal in the lowest seven bits, or else the status in the next byte. */
function codeOf(status: number): number {
  const signal = status & 0x7f;
  return signal === 0 ? (status >> 8) & 0xff : SIGNAL_BASE + signal;
}
