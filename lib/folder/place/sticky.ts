/** Folders in which only its owner may remove a thing, such as `/tmp`. */

const STICKY = 0o1000;
const ROOT = 0;

/** A user as the file system sees it; null where it has none. */
interface Owned {
  readonly uid: number | null;
}

/**
 * Whether the system keeps us from removing what stands in a folder, though we may write there.
 * @param own something that we have just made there: on a share we may be another user than here
 */
export function isKeptFromUs(
  folder: Owned & { readonly mode: number | null },
  thing: Owned,
  own: Owned,
): boolean {
  if (!isSticky(folder) || thing.uid === null) return false;
  return own.uid !== ROOT && own.uid !== thing.uid && own.uid !== folder.uid;
}

export function isSticky({ mode }: { readonly mode: number | null }): boolean {
  return ((mode ?? 0) & STICKY) !== 0;
}
