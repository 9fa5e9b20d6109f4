/**
 * What the storm's commands do under the lock: the first detector of two that are inside at once.
 *
 * Each makes a marker with O_EXCL, stays for a while, sees whether the marker is still its own, and removes
 * it. The marker holds the maker's process number: one that was killed inside leaves its marker, which the
 * next takes over. A frozen maker lives.
 */

export interface Inside {
  /** Folder with the marker; the same one for all, whatever mount they reach the lock by. */
  readonly ground: string;
  readonly staySeconds: number;
  /** Whether a marker may be a killed command's. Process numbers of another namespace say nothing. */
  readonly someAreKilled: boolean;
}

/**
 * Only the shell's own words, but for `sleep` and `rm`: whatever else it started could go on after its own
 * death and undo the next one's marker. So `rm` comes last and takes the shell's place.
 */
const SCRIPT = `
cd "$1" || exit 99
echo $$ > "inside-$LOCK_FOLDER_SLUG"
enter() { set -C; { echo $$ > marker; } 2> /dev/null; entered=$?; set +C; return $entered; }
lives() {
  [ "$3" = kills ] || return 0
  { read -r _ _ state _ < "/proc/$1/stat"; } 2> /dev/null || return 1
  [ "$state" != Z ] && [ "$state" != X ]
}
if ! enter; then
  { read -r other < marker; } 2> /dev/null || sleep 0.05
  { read -r other < marker; } 2> /dev/null
  if lives "\${other:-0}" - "$3"; then
    echo "$LOCK_FOLDER_SLUG ($$) came in while \${other:-somebody} was inside" >> overlaps
  fi
  echo $$ > marker
fi
[ "$2" = 0 ] || sleep "$2"
now=nobody
{ read -r now < marker; } 2> /dev/null
[ "$now" = $$ ] || echo "$LOCK_FOLDER_SLUG ($$) was inside when $now came in" >> overlaps
: > "left-$LOCK_FOLDER_SLUG"
exec rm -f marker
`;

/** The command to be run under the lock. */
export function insideCommand({ ground, staySeconds, someAreKilled }: Inside): string[] {
  const stay = String(staySeconds);
  return ["sh", "-c", SCRIPT, "storm", ground, stay, someAreKilled ? "kills" : "no kills"];
}

/** What the commands themselves found, a line each. */
export async function overlapsSeenInside(ground: string): Promise<string[]> {
  const text = await textOrNull(`${ground}/overlaps`);
  return text === null ? [] : text.trimEnd().split("\n");
}

/** Whether this one's command came so far as to make a marker. */
export async function wasInside(ground: string, slug: string): Promise<boolean> {
  return await textOrNull(`${ground}/inside-${slug}`) !== null;
}

/** Process number of the command that is inside; null if none is, or it is just coming or going. */
export async function whoIsInside(ground: string): Promise<number | null> {
  return Number(await textOrNull(`${ground}/marker`)) || null;
}

async function textOrNull(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
