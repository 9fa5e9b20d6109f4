/**
 * Runs the compiled program as its users do, and waits for events instead of for time.
 *
 * Every program started here leads a session of its own: no terminal, whoever runs the tests, and at the
 * end of a test it can be ended together with the command under it.
 */

/** The compiled program that `tools/test_binary.ts` makes. */
export const PROGRAM = `${projectFolder()}/.cache/test-binary/lock_folder_util${
  Deno.build.os === "windows" ? ".exe" : ""
}`;

export function projectFolder(): string {
  return import.meta.dirname!.replaceAll("\\", "/").split("/").slice(0, -2).join("/");
}

/** What is awaited happens within milliseconds; this long only on a machine that is very busy. */
const EVENT_LIMIT_MS = 30_000;
const LOOK_EVERY_MS = 5;
/** The kernel takes milliseconds to close what a killed process had open. */
const LETS_GO_WITHIN_MS = 1000;

/**
 * Waits until `look` finds something.
 * @param what for the failure's message; a function sees how things stand by then
 * @param look gives null, undefined or false until it has happened
 */
export async function eventually<T>(
  what: string | (() => string),
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  limitMs: number = EVENT_LIMIT_MS,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > endMs) {
      throw new Error(`it never happened: ${typeof what === "string" ? what : what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Nothing but `env`: not even what the tests themselves were started with. */
  readonly onlyThisEnv?: boolean;
  /** What is written to standard input; without it there is nothing to read. */
  readonly stdin?: string;
  /** How long `runCommand()` waits for its end, where that is more than an event takes. */
  readonly limitMs?: number;
  /** Leaves standard input open for `write()`. */
  readonly keepsStdin?: boolean;
}

/** A program under way, or ended. */
export class Started implements AsyncDisposable {
  readonly pid: number;
  /** Its exit status; 128 + n after signal n. */
  readonly ended: Promise<number>;
  /** The signal that ended it; null if it exited. */
  readonly signalled: Promise<Deno.Signal | null>;
  readonly #process: Deno.ChildProcess;
  readonly #out: Captured;
  readonly #err: Captured;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> | null;
  #over = false;

  constructor(process: Deno.ChildProcess, hasStdin: boolean) {
    this.#process = process;
    this.#stdin = hasStdin ? process.stdin.getWriter() : null;
    this.pid = process.pid;
    this.ended = process.status.then(({ code }) => {
      this.#over = true;
      return code;
    });
    this.signalled = process.status.then(({ signal }) => signal);
    this.#out = new Captured(process.stdout);
    this.#err = new Captured(process.stderr);
  }

  /** What it has written to stderr so far. */
  get err(): string {
    return this.#err.text;
  }

  get out(): string {
    return this.#out.text;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Waits until stderr shows this. */
  async says(pattern: RegExp): Promise<string> {
    return await eventually(`stderr shows ${pattern}`, () => {
      if (pattern.test(this.err)) return this.err;
      if (this.#over && this.#err.complete) {
        throw new Error(`it ended without ${pattern} on stderr: ${JSON.stringify(this.err)}`);
      }
      return null;
    });
  }

  /** Sends a signal to this process alone. */
  signal(name: Deno.Signal): void {
    this.#process.kill(name);
  }

  /** Writes to its standard input. That it has ended without reading is no failure. */
  async write(text: string): Promise<void> {
    await this.#stdin?.write(new TextEncoder().encode(text)).catch(() => {});
  }

  async closeStdin(): Promise<void> {
    await this.#stdin?.close().catch(() => {});
  }

  /** Waits for its end, and until all that shared its stdout and stderr have closed them. */
  async finish(limitMs?: number): Promise<Outcome> {
    await eventually(
      () => `the end of pid ${this.pid}; stderr so far: ${this.err}`,
      () => this.#over,
      limitMs,
    );
    await eventually(
      "stdout and stderr are closed",
      () => this.#out.complete && this.#err.complete,
    );
    return { code: await this.ended, out: this.out, err: this.err };
  }

  /** Ends whatever is left of it and of its command. */
  async [Symbol.asyncDispose](): Promise<void> {
    killGroup(this.pid);
    await this.ended;
    await this.closeStdin();
    await this.#out.stop();
    await this.#err.stop();
  }
}

/** Ends a process group; it may have ended already. */
function killGroup(leader: number): void {
  try {
    Deno.kill(-leader, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !/ESRCH|No such process/.test(`${error}`)) {
      throw error;
    }
  }
}

/** Text that a stream has brought so far. */
class Captured {
  text = "";
  complete = false;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #reading: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      this.text += value;
    }
    this.complete = true;
  }

  /**
   * What was killed lets go of its streams in a moment, and then no read is left under way; only what has left
   * the group may keep them open.
   */
  async stop(): Promise<void> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, LETS_GO_WITHIN_MS);
    await Promise.race([this.#reading, over.promise]);
    clearTimeout(timer);
    if (!this.complete) await this.#reader.cancel();
    await this.#reading;
  }
}

/** Starts any program in a session of its own. */
export function startCommand(program: string, args: readonly string[], place: Place = {}): Started {
  const hasStdin = place.keepsStdin === true || place.stdin !== undefined;
  const process = new Deno.Command(program, {
    args: [...args],
    ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    // A hold that the tests themselves run under is no business of theirs.
    env: place.onlyThisEnv ? { ...place.env } : { ...inheritedEnvironment(), ...place.env },
    clearEnv: true,
    stdin: hasStdin ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const started = new Started(process, hasStdin);
  if (place.stdin !== undefined) void started.write(place.stdin).then(() => started.closeStdin());
  return started;
}

function inheritedEnvironment(): Record<string, string> {
  const ours = Object.entries(Deno.env.toObject());
  // Nor is how wide the terminal is in which they are watched.
  return Object.fromEntries(ours.filter(([name]) => !/^(LOCK_FOLDER_.*|COLUMNS)$/.test(name)));
}

export function startProgram(args: readonly string[], place: Place = {}): Started {
  return startCommand(PROGRAM, args, place);
}

export async function runCommand(
  program: string,
  args: readonly string[],
  place: Place = {},
): Promise<Outcome> {
  await using started = startCommand(program, args, place);
  return await started.finish(place.limitMs);
}

export async function runProgram(args: readonly string[], place: Place = {}): Promise<Outcome> {
  return await runCommand(PROGRAM, args, place);
}
