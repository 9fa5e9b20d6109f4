/** `--dir @git` and `--dir @user`, and the same words in `LOCK_FOLDER_DIR`, made paths before anything else. */

import { sharedWord } from "../folder/place/shared_folders.ts";
import { openSharedFolder } from "../folder/place/shared_folder.ts";
import type { Host } from "../sys/sys.ts";
import type { ParsedLine } from "./command_line.ts";
import { givenDir } from "./options.ts";

/**
 * `herd` knows `--dir` alone, `guide` makes no folder, and a word such as the file of `report FILE` takes the
 * place of the lock folder.
 */
function namesFolder({ command, operands }: ParsedLine): boolean {
  const own = command?.name === "guide" || command?.name === "herd";
  return command !== null && command.flags.includes("dir") && operands.length === 0 && !own;
}

/**
 * The line with the path of the folder that its word stands for; the folder is made on first use.
 * @throws FolderUnusable
 */
export async function withSharedDir(line: ParsedLine, host: Host): Promise<ParsedLine> {
  if (!namesFolder(line)) return line;
  return await withWord(line, givenDir(line, host.environment) ?? undefined, host);
}

/** As `withSharedDir()`, for `--dir` alone. */
export async function withGivenSharedDir(line: ParsedLine, host: Host): Promise<ParsedLine> {
  return await withWord(line, line.values.dir, host);
}

async function withWord(
  line: ParsedLine,
  dir: string | undefined,
  host: Host,
): Promise<ParsedLine> {
  const word = sharedWord(dir);
  if (word === null) return line;
  const path = await openSharedFolder(word, host.files, host.environment);
  return { ...line, values: { ...line.values, dir: path } };
}
