/** The environment variables: first those that users set, then those that a command under a hold inherits. */

/** The lock folder, where `--dir` is not given. */
export const DIR_VARIABLE = "LOCK_FOLDER_DIR";

/** 1 uses the lock even on a mount whose mkdir is known to let two in. */
export const TRUST_MOUNT_VARIABLE = "LOCK_FOLDER_TRUST_MOUNT";

/** 1 turns wake-ups by file locks and watches off: for tests, and for shares known to lie. */
export const NO_WATCH_VARIABLE = "LOCK_FOLDER_NO_WATCH";

/** Set to anything at all, it turns colours off: see no-color.org. */
export const NO_COLOR_VARIABLE = "NO_COLOR";

/** How wide lines for people are, whatever the terminal says, as POSIX has it. */
export const COLUMNS_VARIABLE = "COLUMNS";

/**
 * The holds that a command runs under: one line a hold, `<absolute lock path>:<token>`, the newest first. So a
 * command inside two locks knows both.
 */
export const HELD_VARIABLE = "LOCK_FOLDER_HELD";
export const SLUG_VARIABLE = "LOCK_FOLDER_SLUG";
export const SLOT_VARIABLE = "LOCK_FOLDER_SLOT";
export const FENCE_VARIABLE = "LOCK_FOLDER_FENCE";

/** The fence numbers of several locks that are held at once: `cache=3,db=7`. */
export const FENCES_VARIABLE = "LOCK_FOLDER_FENCES";

/** A hold as `LOCK_FOLDER_HELD` has it. */
export function heldLine(lockPath: string, token: string): string {
  return `${lockPath}:${token}`;
}

/** The holds that a process runs under, as its environment tells; the newest first. */
export function inheritedHolds(inherited: string | undefined): string[] {
  return (inherited ?? "").split("\n").filter((line) => tokenIn(line) !== null);
}

function tokenIn(line: string): string | null {
  const token = line.slice(line.lastIndexOf(":") + 1);
  return /^[a-z0-9]{8,64}$/.test(token) ? token : null;
}

/** @return the variable's new value for a command started under one more hold */
export function withHold(inherited: string | undefined, lockPath: string, token: string): string {
  const others = (inherited ?? "").split("\n").filter((line) =>
    line !== "" && line.slice(0, line.lastIndexOf(":")) !== lockPath
  );
  return [heldLine(lockPath, token), ...others].join("\n");
}

/**
 * All inherited tokens, whatever the path they were inherited for: one folder can be reached by two paths,
 * and no two holds have one token. One means something only while it is the present hold's.
 */
export function inheritedTokens(inherited: string | undefined): string[] {
  return inheritedHolds(inherited).flatMap((line) => tokenIn(line) ?? []);
}
