/**
 * A herd of agents, each of which runs one command under the same lock; the commands say when they ran.
 *
 * The first agent is started alone; the others, all at once, when it holds. Every command is the same
 * bash script, so that its own cost (it is in every hand-off) is the same under every lock.
 */
import type { Lock } from "./locks.ts";
import { allAtOnce, pause, settled, start } from "./processes.ts";
import { parseStamps, type Stamp } from "./statistics.ts";

/**
 * `$1` seconds to hold, `$2` file for the stamps, `$3` a pipe on which nothing ever comes: waiting for it
 * takes no further process. The first agent's command also says that it has begun, by the file `$4`, and
 * may be told when to end, by a line on the pipe `$5`.
 */
const COMMAND = `
start=$EPOCHREALTIME
if [ -n "$4" ]; then : >"$4"; fi
if [ -n "$5" ]; then read -r _ <"$5"; else read -r -t "$1" _ <>"$3"; fi
end=$EPOCHREALTIME
echo "$start $end" >>"$2"
exit 0
`;

/** Runs `$1` commands one after the other; the rest of the arguments is the command. */
const START_SERIALLY = `
count=$1; shift
while [ $count -gt 0 ]; do "$@"; count=$((count - 1)); done
`;

/** After this long a run is ended: nobody would wait for a lock like that. */
export const LIMIT_SECONDS = 180;

/** What a herd is to do. */
export interface Herd {
  /** How many agents, the first one included. */
  readonly agents: number;
  readonly holdMs: number;
  /** Whether the first agent holds until all others have started up and wait. */
  readonly settle: boolean;
}

/**
 * Runs a herd under a lock.
 *
 * @param lock the lock, or null for one command after the other
 * @param herd what to run
 * @param scratch an absolute folder
 * @return the stamps, or null if it took too long
 */
export async function runHerd(
  lock: Lock | null,
  herd: Herd,
  scratch: string,
): Promise<Stamp[] | null> {
  const folder = await Deno.makeTempDir({ dir: scratch });
  try {
    const place = await preparePlace(folder);
    if (lock === null) await runSerially(herd, place);
    else if (!await runAtOnce(lock, herd, place)) return null;
    const stamps = parseStamps(await Deno.readTextFile(place.stamps));
    if (stamps.length === herd.agents) return stamps;
    throw new Error(`${lock?.name}: ${stamps.length} of ${herd.agents} commands ran`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Place {
  readonly command: string;
  readonly stamps: string;
  readonly silentPipe: string;
  readonly began: string;
  readonly goOnPipe: string;
}

async function preparePlace(folder: string): Promise<Place> {
  const place = {
    command: `${folder}/command.bash`,
    stamps: `${folder}/stamps`,
    silentPipe: `${folder}/silent`,
    began: `${folder}/began`,
    goOnPipe: `${folder}/go-on`,
  };
  await Deno.writeTextFile(place.command, COMMAND);
  await start(["mkfifo", place.silentPipe, place.goOnPipe]).status;
  return place;
}

async function runSerially({ agents, holdMs }: Herd, place: Place): Promise<void> {
  await start(["sh", "-c", START_SERIALLY, "sh", String(agents), ...commandFor(holdMs, place)])
    .status;
}

async function runAtOnce(lock: Lock, herd: Herd, place: Place): Promise<boolean> {
  const { agents, holdMs, settle } = herd;
  const command = commandFor(holdMs, place);
  const first = start(
    limited([...lock.prefix, ...command, place.began, ...(settle ? [place.goOnPipe] : [])]),
    lock.env,
  );
  let isOver = false;
  void first.status.then(() => isOver = true);
  while (!await exists(place.began)) {
    if (isOver) return false;
    await pause(2);
  }
  const rest = start(
    limited(allAtOnce(agents - 1, [...lock.prefix, ...command])),
    lock.env,
  );
  if (settle) {
    await settled(rest.pid);
    await Deno.writeTextFile(place.goOnPipe, "go on\n");
  }
  const ends = await Promise.all([first.status, rest.status]);
  return ends.every(({ success }) => success);
}

function commandFor(holdMs: number, place: Place): string[] {
  return ["bash", place.command, String(holdMs / 1000), place.stamps, place.silentPipe];
}

/** Ends the whole group of processes when the time is over. */
function limited(command: readonly string[]): string[] {
  return ["timeout", "-k", "10", String(LIMIT_SECONDS), ...command];
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
