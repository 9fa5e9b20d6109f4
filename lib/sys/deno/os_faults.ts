/** From what Deno throws to a FileFault with the system's own name for the cause. */

import { FileFault } from "../faults.ts";

/** For errors that carry no code: the run-time's own classes. */
const CODE_BY_CLASS: Readonly<Record<string, string>> = {
  NotFound: "ENOENT",
  AlreadyExists: "EEXIST",
  PermissionDenied: "EACCES",
  NotADirectory: "ENOTDIR",
  IsADirectory: "EISDIR",
  FilesystemLoop: "ELOOP",
  NotSupported: "ENOTSUP",
  BrokenPipe: "EPIPE",
};

/** Codes that some run-times leave out; the number is in the message. Linux and macOS share these: */
const CODE_BY_NUMBER: Readonly<Record<string, string>> = {
  "1": "EPERM",
  "2": "ENOENT",
  "5": "EIO",
  "7": "E2BIG",
  "8": "ENOEXEC",
  "11": "EAGAIN",
  "12": "ENOMEM",
  "13": "EACCES",
  "22": "EINVAL",
  "28": "ENOSPC",
  "30": "EROFS",
  "32": "EPIPE",
  // Windows: another process has locked a portion of the file. (EDOM elsewhere, which no file call answers.)
  "33": "EBUSY",
  ...Deno.build.os === "darwin"
    ? {
      "45": "ENOTSUP",
      "62": "ELOOP",
      "66": "ENOTEMPTY",
      "69": "EDQUOT",
      "77": "ENOLCK",
      "78": "ENOSYS",
    }
    : {
      "37": "ENOLCK",
      "38": "ENOSYS",
      "39": "ENOTEMPTY",
      "40": "ELOOP",
      "95": "ENOTSUP",
      "122": "EDQUOT",
    },
};

/** @param thrown what a file operation threw */
export function asFault(thrown: unknown, operation: string, path: string): FileFault {
  if (thrown instanceof FileFault) return thrown;
  const error = thrown as { code?: unknown; name?: string; message?: string };
  const message = String(error?.message ?? thrown);
  const number = /\(os error (\d+)\)/.exec(message)?.[1];
  const code = typeof error?.code === "string" && error.code !== ""
    ? error.code
    : (number && CODE_BY_NUMBER[number]) ?? CODE_BY_CLASS[error?.name ?? ""] ?? "UNKNOWN";
  // xfs says EEXIST for a folder that is not empty.
  const told = operation === "rmdir" && code === "EEXIST" ? "ENOTEMPTY" : code;
  return new FileFault(told, operation, path, plainReason(message));
}

/** `No such file or directory (os error 2): lstat '/x'` → `no such file or directory`. */
function plainReason(message: string): string {
  const sentence = message.split(" (os error")[0]!.split("\n")[0]!;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Runs one file operation; what it throws comes out as a FileFault. */
export async function faulting<T>(
  operation: string,
  path: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw asFault(thrown, operation, path);
  }
}

/** What an operation gives, or null if nothing stands at the path. */
export async function orNull<T>(
  operation: string,
  path: string,
  run: () => Promise<T>,
): Promise<T | null> {
  try {
    return await run();
  } catch (thrown) {
    const fault = asFault(thrown, operation, path);
    if (fault.code === "ENOENT") return null;
    throw fault;
  }
}
