/** Paths as people write them. */

/**
 * As `absolutePath()`, where the working folder may have been removed, or have a name that is not UTF-8.
 * @return null if the path is relative, and there is no such folder to begin at
 */
export function absolutePathFrom(path: string, workingFolder: string | null): string | null {
  if (workingFolder !== null) return absolutePath(path, workingFolder);
  return path.startsWith("/") ? absolutePath(path, "/") : null;
}

/**
 * A path made absolute once at start, so that a command that changes its folder releases the same lock.
 * Dots are resolved by their spelling, not through links.
 * @param path as given by a person
 * @param workingFolder absolute
 */
export function absolutePath(path: string, workingFolder: string): string {
  const isAbsolute = /^([A-Za-z]:)?[\\/]/.test(path);
  const full = (isAbsolute ? path : `${workingFolder}/${path}`).replace(
    /\\/g,
    (slash) => workingFolder.startsWith("/") ? slash : "/",
  );
  const drive = /^[A-Za-z]:/.exec(full)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of full.slice(drive.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `${drive}/${parts.join("/")}`;
}

/** A word that may be said in place of the path of a lock folder. @return null for a path */
export function sharedWord(dir: string | undefined): "@git" | "@user" | null {
  return dir === "@git" || dir === "@user" ? dir : null;
}
