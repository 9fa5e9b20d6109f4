/**
 * What only a command that examines a folder asks of the machine; part of the seam, see `sys.ts`. Null stands
 * for what this system does not tell.
 */

import type { CommandLine } from "./commands.ts";
import type { SignalName } from "./signals.ts";

/** Another process of this very program, which we talk to in lines. */
export interface Copy {
  /** Writes one line to its stdin. Nothing happens if it has ended. */
  say(line: string): Promise<void>;
  /** The next line that it writes to stdout; null once it has ended. */
  hear(): Promise<string | null>;
  /** Ends it outright (SIGKILL) and waits until it has gone. */
  kill(): Promise<void>;
}

export interface Space {
  /** For those who are not root. */
  readonly freeBytes: number;
  /** Null where files are not counted. */
  readonly freeFiles: number | null;
}

/** What is mounted where a folder is. */
export interface Mounted {
  /** In the system's words: `ext4`, `fuse.sshfs`. */
  readonly type: string;
  /** What is mounted: a device, a server's folder. */
  readonly source: string;
}

export interface Diagnosis {
  /**
   * Starts a copy of this program, as `Commands.ownProgram()` says. It ends by itself when we do: its stdin
   * closes. Fails with a FileFault.
   */
  startCopy(command: Pick<CommandLine, "program" | "args">): Promise<Copy>;
  /** In a copy: the lines that its starter says, until the starter has gone. */
  orders(): AsyncIterable<string>;
  /** From now on the signals that would end us are handed to `onSignal` instead. */
  catchSignals(onSignal: (name: SignalName) => void): Promise<void>;
  /** The same folder by its path without links; null if nothing stands there. */
  realPath(path: string): Promise<string | null>;
  mounted(folder: string): Promise<Mounted | null>;
  space(folder: string): Promise<Space | null>;
  /** How many inotify instances this user may have; null where there is no such limit. */
  inotifyLimit(): Promise<number | null>;
  /** Whether systemd is in charge of the machine: it brings a cleaner of temporary folders. */
  hasSystemd(): Promise<boolean>;
  /**
   * Whether git ignores all of these paths, whatever its variables say of another repository; null where there is
   * no git, or it gives no answer.
   * @param folder in a work tree, without links
   * @param paths from there; that of a folder ends in a slash
   */
  gitIgnores(folder: string, paths: readonly string[]): Promise<boolean | null>;
}
