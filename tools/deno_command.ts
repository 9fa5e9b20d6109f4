/** Runs the very Deno that runs the tool, so that one version makes everything. */

/** Where a command runs and what it sees besides the environment it inherits. */
export interface CommandPlace {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs Deno, with nothing on standard input.
 *
 * @param args its arguments
 * @param place working folder and additional environment
 * @return what it wrote on standard output
 * @throws Error with what it wrote on standard error, if it fails
 */
export async function deno(args: readonly string[], place: CommandPlace = {}): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args],
    stdin: "null",
    ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    env: { NO_COLOR: "1", ...place.env },
  });
  const { success, code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(`deno ${args[0]} failed with status ${code}:\n${decoder.decode(stderr).trim()}`);
}

/** Deno's cache folders, absolute. */
export interface DenoFolders {
  readonly denoDir: string;
  readonly npmCache: string;
}

/**
 * Asks Deno where it keeps what it downloads.
 *
 * @return its cache folders
 * @throws Error if Deno's answer has another form than expected
 */
export async function denoFolders(): Promise<DenoFolders> {
  const answer: unknown = JSON.parse(await deno(["info", "--json", "--no-config"]));
  const { denoDir, npmCache } = answer as Partial<Record<keyof DenoFolders, unknown>>;
  if (typeof denoDir !== "string" || typeof npmCache !== "string") {
    throw new Error("`deno info --json` does not name denoDir and npmCache");
  }
  return { denoDir, npmCache };
}
