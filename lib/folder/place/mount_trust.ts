/** What a lock may rely on, on the mount that it stands on. */

import { kindOf } from "./file_system_kinds.ts";

export interface MountTrust {
  /** A disk of this machine, served by its own kernel. */
  readonly isLocalDisk: boolean;
  /**
   * A file lock there is let go when its process dies. A server may keep those of a machine that is dead; where the
   * system does not say what is mounted, they are believed.
   */
  readonly locksProveLife: boolean;
  /** For how long this machine may be shown what has changed meanwhile. Milliseconds. */
  readonly cachesForMs: number;
  /** For how long even a folder that is listed may be shown as it was. Milliseconds. */
  readonly listingsLagMs: number;
}

export const LOCAL_DISK: MountTrust = {
  isLocalDisk: true,
  locksProveLife: true,
  cachesForMs: 0,
  listingsLagMs: 0,
};

/** What sshfs does unless it is told otherwise; what it was told is not to be seen. Others are likely to do less. */
const UNKNOWN_CACHE_MS = 20_000;
/** Measured: these show what another mount did within the second that file systems in user space remember by default. */
const QUICK_TO_FORGET: ReadonlySet<string> = new Set(["fuse.bindfs", "fuse.gocryptfs"]);
/** The longest that Linux keeps attributes of files and folders, in seconds, unless the mount says otherwise. */
const NFS_LONGEST_S = 60;
const CIFS_LONGEST_S = 1;

/**
 * @param type in the system's words; null where it cannot be found out
 * @param isLocalDisk it is known to be one
 * @param options what the mount was made with, as the system tells it
 */
export function trustMount(
  { type, isLocalDisk, options }: {
    readonly type: string | null;
    readonly isLocalDisk: boolean;
    readonly options: readonly string[];
  },
): MountTrust {
  if (isLocalDisk) return LOCAL_DISK;
  return {
    isLocalDisk,
    locksProveLife: type === null,
    cachesForMs: cacheTimeMs(type, options),
    listingsLagMs: listingsLagMs(type),
  };
}

/** sshfs remembers listings for twenty seconds; what another did was seen after twenty-one. */
const SSHFS_LISTINGS_LAG_MS = 25_000;
/** Other file systems in user space remember names and attributes for a second, unless they are told otherwise. */
const FUSE_LISTINGS_LAG_MS = 1000;

function listingsLagMs(type: string | null): number {
  if (type === "fuse.sshfs") return SSHFS_LISTINGS_LAG_MS;
  return /^fuse/.test(type ?? "") ? FUSE_LISTINGS_LAG_MS : 0;
}

function cacheTimeMs(type: string | null, options: readonly string[]): number {
  if (type === "nfs" || type === "nfs4") return longestKeptMs(options, NFS_LONGEST_S);
  if (isCifs(type)) return longestKeptMs(options, CIFS_LONGEST_S);
  if (QUICK_TO_FORGET.has(type ?? "")) return FUSE_LISTINGS_LAG_MS;
  const isOfThisKernel = ["local", "memory", "overlay"].includes(kindOf(type)) &&
    !/^fuse/.test(type ?? "");
  return isOfThisKernel ? 0 : UNKNOWN_CACHE_MS;
}

/**
 * Whether a request that waits for a file lock there is granted once that is let go. On CIFS it may stay without an
 * answer, and cannot be taken back.
 * @param type in the system's words; null where it cannot be found out
 */
export function grantsFileLocks(type: string | null): boolean {
  return !isCifs(type);
}

function isCifs(type: string | null): boolean {
  return type === "cifs" || type === "smb3";
}

/** `actimeo` sets the two others; a mount lists only what is not as usual. */
function longestKeptMs(options: readonly string[], usualS: number): number {
  if (options.includes("noac")) return 0;
  const said = (name: string) => {
    const value = options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : null;
  };
  const forBothS = said("actimeo") ?? usualS;
  return 1000 * Math.max(said("acregmax") ?? forBothS, said("acdirmax") ?? forBothS);
}
