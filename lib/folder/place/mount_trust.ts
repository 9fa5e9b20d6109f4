/** What a lock may rely on, on the mount that it stands on. */

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

// What is known of kinds of file systems, by the names that systems give them.

export type FileSystemKind =
  | "local"
  | "memory"
  | "overlay"
  | "network"
  | "host share"
  | "object store"
  | "sync client"
  | "fuse"
  | "no exclusion"
  | "unknown";

/**
 * rclone answers mkdir from its own memory before it asks the remote: of two machines that race, both win in
 * 99 rounds of 100.
 */
const MKDIR_DOES_NOT_EXCLUDE: ReadonlySet<string> = new Set(["fuse.rclone"]);

/** Whether mkdir is known not to exclude on file systems of this type. */
export function mkdirIsKnownUnsafe(type: string): boolean {
  return MKDIR_DOES_NOT_EXCLUDE.has(type);
}

const TYPES_BY_KIND: readonly (readonly [FileSystemKind, string])[] = [
  [
    "local",
    "ext2 ext3 ext4 xfs btrfs zfs f2fs jfs reiserfs bcachefs nilfs2 ufs apfs hfs vfat msdos exfat ntfs ntfs3 fuseblk",
  ],
  ["memory", "tmpfs ramfs"],
  ["overlay", "overlay overlayfs aufs fuse.fuse-overlayfs"],
  [
    "network",
    "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afs afpfs ncpfs coda ceph fuse.ceph fuse.ceph-fuse glusterfs fuse.glusterfs lustre gpfs beegfs orangefs ocfs2 gfs2 fuse.sshfs fuse.davfs davfs webdav fuse.juicefs fuse.gvfsd-fuse fuse.curlftpfs fuse.smbnetfs fuse.nfs",
  ],
  [
    "host share",
    "9p virtiofs vboxsf vmhgfs fuse.vmhgfs-fuse prl_fs fuse.grpcfuse fuse.osxfs fakeowner drvfs wslfs",
  ],
  [
    "object store",
    "fuse.s3fs fuse.gcsfuse fuse.goofys fuse.geesefs fuse.mountpoint-s3 fuse.blobfuse fuse.blobfuse2 fuse.ossfs fuse.cosfs",
  ],
  [
    "sync client",
    "fuse.onedriver fuse.google-drive-ocamlfuse fuse.dbxfs fuse.DriveFS fuse.insync",
  ],
];

const KIND_BY_TYPE: ReadonlyMap<string, FileSystemKind> = new Map(
  TYPES_BY_KIND.flatMap(([kind, types]) => types.split(" ").map((type) => [type, kind] as const)),
);

export function kindOf(type: string | null): FileSystemKind {
  if (type === null) return "unknown";
  if (mkdirIsKnownUnsafe(type)) return "no exclusion";
  return KIND_BY_TYPE.get(type) ?? (/^fuse(\.|$)/.test(type) ? "fuse" : "unknown");
}

/** WSL shows Windows drives by 9p, or in its first version by a file system of its own. */
export function isWindowsDrive(type: string | null, source: string | null, path: string): boolean {
  if (type === "drvfs" || type === "wslfs") return true;
  return type === "9p" && (/^[A-Za-z]:/.test(source ?? "") || source === "drvfs" ||
    /^\/mnt\/[a-z](\/|$)/.test(path));
}

/** Names of folders that sync clients make for themselves. */
const SYNC_FOLDERS: readonly (readonly [client: string, name: RegExp])[] = [
  ["Dropbox", /^dropbox( \(.+\))?$/i],
  ["OneDrive", /^onedrive( ?- ?.+)?$/i],
  ["OneDrive", /^onedrive-.+$/i],
  ["iCloud", /^(mobile documents|iclouddrive|com~apple~clouddocs)$/i],
  ["Google Drive", /^(google ?drive|googledrive-.+|my drive)( \(.+\))?$/i],
  ["a sync client", /^cloudstorage$/i],
  ["Nextcloud", /^nextcloud\d*$/i],
  ["ownCloud", /^owncloud\d*$/i],
];

/** What sync clients leave in the folder that they keep in step, and what kind of thing that is. */
export const SYNC_MARKERS: readonly {
  readonly client: string;
  readonly name: string;
  /** `~/.dropbox` is a folder in everybody's home and marks nothing. */
  readonly kind: "file" | "folder";
}[] = [
  { client: "Dropbox", name: ".dropbox", kind: "file" },
  { client: "Dropbox", name: ".dropbox.cache", kind: "folder" },
  { client: "Google Drive", name: ".tmp.driveupload", kind: "folder" },
  { client: "Syncthing", name: ".stfolder", kind: "folder" },
  { client: "Nextcloud", name: ".nextcloudsync.log", kind: "file" },
  { client: "ownCloud", name: ".owncloudsync.log", kind: "file" },
];

/** The sync client in whose folder a path seems to be, or null. */
export function syncClientOf(path: string): string | null {
  // The innermost name says most: `Library/CloudStorage/OneDrive-Work`.
  for (const part of path.split("/").reverse()) {
    const client = SYNC_FOLDERS.find(([, name]) => name.test(part))?.[0];
    if (client !== undefined) return client;
  }
  return null;
}
