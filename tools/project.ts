/** The project's own files. */

/**
 * The project's folder.
 *
 * @return an absolute path without a slash at its end
 */
export function projectFolder(): string {
  // dirname is decoded, as the URL is not, where the path has a space or an umlaut.
  const tools = import.meta.dirname;
  if (tools === undefined) throw new Error("The tools run from files only");
  return tools.replace(/[/\\]tools$/, "");
}

/**
 * Walks a folder, leaving out everything whose name begins with a dot.
 *
 * @param root an absolute path
 * @param folder a path relative to it, "" for all of it
 * @param skipped names of folders not to walk into
 * @return paths of files relative to the root, with forward slashes, sorted
 */
export async function filesBelow(
  root: string,
  folder: string,
  skipped: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder === "" ? root : `${root}/${folder}`)) {
    if (entry.name.startsWith(".") || skipped.has(entry.name)) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory) files.push(...await filesBelow(root, path, skipped));
    else if (entry.isFile) files.push(path);
  }
  return files.sort();
}
