/** A made-up release on a server of this machine, and what an installer finds on the machine it runs on. */

import { tarGz } from "../../tools/release_archive.ts";
import { archiveName, checksumLines, CHECKSUMS, TARGETS } from "../../tools/release_targets.ts";
import { sha256 } from "../../tools/sha256.ts";
import { LockFolder } from "./lock_folder.ts";
import { type Place, projectFolder, startCommand, type Started } from "./program.ts";

export const VERSION_SAID = "lock_folder_util 9.8.7";

/** Stands for the program in a release. */
export const WORKING_PROGRAM = `#!/bin/sh\n[ "$1" = --version ] && echo ${VERSION_SAID}\n`;

/** What installing takes besides a shell and what fetches and compares. */
const BASE_TOOLS = "uname mktemp rm cp mv chmod mkdir tar gzip printf [ test true false".split(" ");

/** What is wrong with a release. */
export interface Flaws {
  /** What its program is. */
  readonly program?: string;
  readonly checksumIs?: "wrong" | "missing";
  /** `broken off`: the connection ends midway. `stuck`: it stays, but nothing comes. */
  readonly archiveIs?: "missing" | "broken off" | "stuck" | "cut short";
}

/** Serves one release as the newest, and as any that a tag names; with an installer that knows where it is from. */
export class ReleaseSite implements AsyncDisposable {
  /** Paths in the order in which they were asked for. */
  readonly asked: string[] = [];
  readonly address: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stuck = new Set<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();

  private constructor(
    readonly files: Map<string, Uint8Array<ArrayBuffer>>,
    readonly flaws: Flaws,
    installer: string,
  ) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(new URL(request.url).pathname),
    );
    this.address = `http://127.0.0.1:${this.#server.addr.port}/releases`;
    const stamped = installer.replace("releases=''", `releases='${this.address}'`);
    files.set("install.sh", new TextEncoder().encode(stamped));
  }

  static async make(flaws: Flaws = {}): Promise<ReleaseSite> {
    const files = new Map<string, Uint8Array<ArrayBuffer>>();
    const checksums = new Map<string, string>();
    const content = new TextEncoder().encode(flaws.program ?? WORKING_PROGRAM);
    for (const target of TARGETS.filter(({ os }) => os !== "windows")) {
      const path = `lock_folder_util-${target.triple}/lock_folder_util`;
      const archive = tarGz([{ path, content, executable: true }], 0);
      const name = archiveName(target);
      files.set(name, archive);
      checksums.set(name, await sha256(archive));
      if (flaws.checksumIs === "wrong") checksums.set(name, "0".repeat(64));
      if (flaws.checksumIs === "missing") checksums.delete(name);
    }
    files.set(CHECKSUMS, new TextEncoder().encode(checksumLines(checksums)));
    const installer = await Deno.readTextFile(`${projectFolder()}/install.sh`);
    return new ReleaseSite(files, flaws, installer);
  }

  #answer(path: string): Response {
    this.asked.push(path);
    const name = path.replace(/^\/releases\/(?:latest\/download|download\/v[\d.]+)\//, "");
    const content = this.files.get(name);
    const flaw = name === CHECKSUMS ? undefined : this.flaws.archiveIs;
    if (content === undefined || flaw === "missing") return new Response(null, { status: 404 });
    if (flaw === undefined) return new Response(content);
    const half = content.slice(0, content.length / 2);
    if (flaw === "cut short") return new Response(half);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        controller.enqueue(half);
        if (flaw === "stuck") this.#stuck.add(controller);
        else controller.close();
      },
      cancel: () => this.#stuck.clear(),
    });
    // The server ends the connection if less comes than it has promised.
    return new Response(body, { headers: { "content-length": `${content.length}` } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const controller of this.#stuck) controller.close();
    await this.#server.shutdown();
  }
}

/** A machine to install on: what there is on its PATH, and folders of its own. */
export class Machine implements AsyncDisposable {
  readonly home: string;
  readonly tmp: string;
  readonly #bin: string;

  private constructor(readonly folder: LockFolder) {
    this.home = `${folder.root}/home`;
    this.tmp = `${folder.root}/tmp of it`;
    this.#bin = `${folder.root}/bin`;
  }

  /** @param tools programs it has besides the plainest */
  static async make(tools: readonly string[]): Promise<Machine> {
    const machine = new Machine(await LockFolder.make());
    for (const folder of [machine.home, machine.tmp, machine.#bin]) await Deno.mkdir(folder);
    for (const tool of [...BASE_TOOLS, ...tools]) {
      const path = await findOnPath(tool);
      if (path !== null) await Deno.symlink(path, `${machine.#bin}/${tool}`);
    }
    return machine;
  }

  /** Gives it programs that are other than by their names. */
  async put(name: string, target: string): Promise<void> {
    await Deno.remove(`${this.#bin}/${name}`).catch(() => {});
    await Deno.symlink(target, `${this.#bin}/${name}`);
  }

  /** Makes it another kind of machine. */
  async pretend(system: string, processor: string): Promise<void> {
    await Deno.remove(`${this.#bin}/uname`);
    const script = `#!/bin/sh\ncase $1 in -s) echo ${system} ;; *) echo ${processor} ;; esac\n`;
    await Deno.writeTextFile(`${this.#bin}/uname`, script, { mode: 0o755 });
  }

  /** Starts `install.sh` in a shell; `env` adds to what is on the machine. */
  start(
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    shell: readonly string[] = ["/bin/sh"],
    place: Place = {},
  ): Started {
    const script = place.stdin === undefined ? `${projectFolder()}/install.sh` : "-s";
    return startCommand(shell[0]!, [...shell.slice(1), script, ...args], {
      ...place,
      cwd: this.folder.root,
      env: { PATH: this.#bin, HOME: this.home, TMPDIR: this.tmp, ...env },
      onlyThisEnv: true,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
  }
}

/** @return where PATH has a program, or null */
export async function findOnPath(name: string): Promise<string | null> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    try {
      const path = `${folder}/${name}`;
      if ((await Deno.stat(path)).isFile) return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}
