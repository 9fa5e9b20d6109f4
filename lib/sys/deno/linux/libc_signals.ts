/** Ignoring a signal for a moment, and leaving one to the system again, which the run-time has no call for: sigaction(2) of the C library. */

const SIGACTION = {
  sigaction: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
} as const;

/**
 * `struct sigaction` takes 152 bytes with glibc on x86_64 and on aarch64; the handler comes first. A kernel or
 * library that writes more finds room.
 */
const STRUCT_BYTES = 256;
/** The handler `SIG_IGN`, from signal.h. */
const SIG_IGN = 1n;

export class LibcSignals {
  readonly #libc: Deno.DynamicLibrary<typeof SIGACTION>;
  readonly #ignore = new Uint8Array(STRUCT_BYTES);

  private constructor(libc: Deno.DynamicLibrary<typeof SIGACTION>) {
    this.#libc = libc;
    new BigUint64Array(this.#ignore.buffer)[0] = SIG_IGN;
  }

  /** @return null where there is no such library: another system than Linux, or no glibc */
  static open(): LibcSignals | null {
    if (Deno.build.os !== "linux") return null;
    try {
      return new LibcSignals(Deno.dlopen("libc.so.6", SIGACTION));
    } catch {
      return null;
    }
  }

  /** What the system does with a signal that nobody has said anything about: it ends most programs. */
  setDefault(number: number): void {
    this.#libc.symbols.sigaction(number, new Uint8Array(STRUCT_BYTES), null);
  }

  /**
   * Does something while these signals are ignored, then puts back what was to be done with each.
   * @param run is over when it returns: nothing is awaited
   */
  whileIgnored<T>(numbers: readonly number[], run: () => T): T {
    const { sigaction } = this.#libc.symbols;
    const before = numbers.map((number) => {
      const action = new Uint8Array(STRUCT_BYTES);
      return { number, action, done: sigaction(number, this.#ignore, action) === 0 };
    });
    try {
      return run();
    } finally {
      for (const { number, action, done } of before) if (done) sigaction(number, action, null);
    }
  }
}
