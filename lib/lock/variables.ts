/**
 * The environment variables that users set. Those that a command under a hold inherits are in `inherited.ts`.
 */

/** The lock folder, where `--dir` is not given. */
export const DIR_VARIABLE = "LOCK_FOLDER_DIR";

/** 1 uses the lock even on a mount whose mkdir is known to let two in. */
export const TRUST_MOUNT_VARIABLE = "LOCK_FOLDER_TRUST_MOUNT";

/** 1 turns wake-ups by file locks and watches off: for tests, and for shares known to lie. */
export const NO_WATCH_VARIABLE = "LOCK_FOLDER_NO_WATCH";

/** Whoever sets this, to anything, wants no colours: see no-color.org. */
export const NO_COLOR_VARIABLE = "NO_COLOR";
