/** A record of a `run` hold, for tests that change of it what they are about. */

import type { HolderRecord } from "../../../lib/folder/state/record.ts";

export const A_RECORD: HolderRecord = {
  token: "abcdefgh12345678",
  slug: "agent-1",
  pid: 4711,
  processStart: "12345",
  machine: {
    host: "box",
    bootId: "boot",
    pidNamespace: "pid:[4026531836]",
    timeNamespace: "time:[4026531834]",
  },
  mode: "run",
  childPid: null,
  childStart: null,
  acquiredAt: 1_800_000_000_000,
  beat: 0,
  heartbeatSeconds: 5,
  stale: 600,
  fence: 1,
  lockMtime: 1_800_000_000_123,
};
