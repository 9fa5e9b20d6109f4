/** The signals that reach us and can be passed on to a command, with their numbers. */

/** From signal(7); the same on every kind of machine that Deno runs on under Linux, and on macOS but for USR1 and USR2. */
export const SIGNAL_NUMBER = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGALRM: 14,
  SIGTERM: 15,
} as const;

export type SignalName = keyof typeof SIGNAL_NUMBER;
