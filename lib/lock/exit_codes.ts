/** All exit codes of this program. */

/** Every status this program can end with that is not its command's own. */
export const EXIT = {
  done: 0,
  /** Not the holder; for a report or a doctor: something is broken. */
  no: 1,
  /** The command line is wrong (EX_USAGE of sysexits). */
  usage: 64,
  /** What was given as a log is none (EX_DATAERR). */
  noLog: 65,
  /** What was given as a log cannot be read: there is no such file, say (EX_NOINPUT). */
  noInput: 66,
  /** A defect of this program: nothing that a caller did (EX_SOFTWARE). */
  defect: 70,
  /** The lock folder could not be written: disk full, I/O (EX_IOERR). */
  ioFailed: 74,
  /** Gave up waiting (EX_TEMPFAIL): try again later. */
  gaveUp: 75,
  /** The hold was lost, and the command was ended for it. */
  holdLost: 76,
  /** The lock folder cannot be used as it is (EX_CONFIG). */
  folderUnusable: 78,
  /** The command stands there but cannot be executed, as shells have it. */
  notExecutable: 126,
  /** There is no such command, as shells have it. */
  notFound: 127,
} as const;
