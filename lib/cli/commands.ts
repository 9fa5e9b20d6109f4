/**
 * The command line as a table: what there is, with its words. Parsing, `--help`, completions and the manual
 * are all made from it.
 */

import type { CommandSpec, FlagDifference } from "./command_spec.ts";
import { type Flag, type FlagName, flagNamed } from "./flags.ts";

export type { CommandSpec } from "./command_spec.ts";

export { type Flag, type FlagName, flagNamed, FLAGS } from "./flags.ts";

const EVERYWHERE: readonly FlagName[] = ["dir", "name", "quiet", "help"];
const WAITING: readonly FlagName[] = [
  "slug",
  "poll",
  "stale",
  "timeout",
  "keep-place",
  "conflict-exit-code",
  "die-with-parent",
  "note",
  "json",
];

const JSON_AT_THE_END: FlagDifference = {
  help: "one line of JSON on stderr when the wait ends, and no lines for people",
};

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    group: "take",
    synopsis: "--slug NAME [flags] -- COMMAND [ARG...]",
    summary: "Run a command while holding the lock, and give the lock back whatever happens.",
    details: [
      "Waits until the lock is free, runs COMMAND with your stdin, stdout, stderr and folder, and exits",
      "with its status. Everything after the first -- is the command's own. TERM, HUP, INT and QUIT go on",
      "to the command; the lock is released once it has really ended. COMMAND finds LOCK_FOLDER_HELD,",
      "LOCK_FOLDER_SLUG, LOCK_FOLDER_FENCE (a number that grows with every hold) and LOCK_FOLDER_SLOT in its",
      "environment. Several --name: all of those locks at once, or none; LOCK_FOLDER_FENCES has their fences.",
    ],
    flags: [...WAITING, "slots", "on-lost", "max-hold", "detach", "keep", ...EVERYWHERE],
    differs: { json: JSON_AT_THE_END },
    takesSeveral: true,
    takesCommand: true,
    operands: 0,
    examples: [
      "lock_folder_util run --slug agent-1 -- make deploy",
      "lock_folder_util run --slug nightly --timeout 2h --poll 5 -- ./migrate.sh --all",
    ],
  },
  {
    name: "result",
    group: "take",
    synopsis: "ID [--timeout D] [--follow]",
    summary: "Wait for the end of a job, write what it wrote, and exit with its status.",
    details: [
      "ID is what `run --detach` has printed. If the time is over first: exits with 75, and says where the job",
      "stands. It may be asked again, by anybody who may read the lock folder, also after the end, until the",
      "job's --keep is over. A job that was killed: exits with 74, and says whether its command still runs.",
    ],
    flags: ["timeout", "follow", "conflict-exit-code", ...EVERYWHERE],
    takesCommand: false,
    operands: 1,
    examples: ["lock_folder_util result k3f9a2 --timeout 5m"],
  },
  {
    name: "cancel",
    group: "take",
    synopsis: "ID",
    summary: "Take a job out of the line, or end its command with all that it started.",
    details: [
      "The command gets TERM, after ten seconds KILL, and then the lock goes back. Exits with 1 if the job had",
      "ended already.",
    ],
    flags: [...EVERYWHERE],
    takesCommand: false,
    operands: 1,
    examples: ["lock_folder_util cancel k3f9a2"],
  },
  {
    name: "acquire",
    group: "take",
    synopsis: "--slug NAME [flags]",
    summary: "Take the lock and leave it held, until `release` with the same slug.",
    details: [
      "For work that is not one command. No process stays with such a hold, so nothing can tell that it is",
      "still needed: once it has not been renewed for --stale, the next waiter breaks it. Prefer `run`.",
    ],
    flags: [...WAITING, "slots", ...EVERYWHERE],
    differs: { json: JSON_AT_THE_END },
    takesSeveral: true,
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util acquire --slug agent-1 --timeout 10m"],
  },
  {
    name: "renew",
    group: "take",
    synopsis: "--slug NAME",
    summary: "Freshen what `acquire` took, so that it does not grow stale.",
    details: [
      "Call it more often than every --stale seconds. Exits with 1 if the hold is gone or another's. Inside",
      "`run` on the same lock it does nothing: that freshens its lock by itself.",
    ],
    flags: ["slug", "slot", ...EVERYWHERE],
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util renew --slug agent-1"],
  },
  {
    name: "release",
    group: "take",
    synopsis: "--slug NAME [--force] [--fence N]",
    summary: "Give back what `acquire` with the same slug took.",
    details: [
      "Exits with 1, and changes nothing, if nothing is held or another slug holds the lock. A lock held by",
      "`run` is released when its command ends; inside of it, release does nothing. --force removes any hold,",
      "and the log says who did it. With --fence it removes no other hold than that one.",
    ],
    flags: ["slug", "force", "fence", "slot", ...EVERYWHERE],
    differs: { fence: { help: "only if this is the present hold's number, as status shows it" } },
    takesCommand: false,
    operands: 0,
    examples: [
      "lock_folder_util release --slug agent-1",
      "lock_folder_util release --slug ops --force",
    ],
  },
  {
    name: "check",
    group: "take",
    synopsis: "[--fence N] [--slug NAME]",
    summary: "Ask whether the caller still holds the lock, before a step that cannot be undone.",
    details: [
      "Inside `run` it asks for the hold that it runs under; elsewhere say which with --fence or --slug. Exits",
      "with 0 if that is the present hold, with 1 and a line on stderr if not.",
    ],
    flags: ["fence", "slug", "slot", ...EVERYWHERE],
    differs: { slug: { byDefault: null, help: "ask for the hold of this name" } },
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util check && ./publish.sh"],
  },
  {
    name: "status",
    group: "look",
    synopsis: "[--stale D] [--all] [--watch] [--json]",
    summary: "Show who holds the lock, why it counts as held or stale, and who waits.",
    details: [
      "Changes nothing. The verdict is the one that a waiter with this --stale would come to.",
    ],
    flags: ["stale", "all", "watch", "json", ...EVERYWHERE],
    differs: { stale: { help: "give the verdict of a waiter with this --stale" } },
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util status"],
  },
  {
    name: "slots",
    group: "look",
    synopsis: "[--set N|NAMES] [--json]",
    summary: "Show how many may hold the lock at once, or change it.",
    details: [
      "A lock has slots once somebody has taken it with --slots. --set changes them; it takes all of them for a",
      "moment, and exits with 75 if somebody holds one, or waits.",
    ],
    flags: ["set", "json", ...EVERYWHERE],
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util slots", "lock_folder_util slots --set 4"],
  },
  {
    name: "report",
    group: "look",
    synopsis:
      "[FILE] [--since TIME] [--until TIME] [--slug NAME] [--svg FILE] [--html FILE] [--json]",
    summary:
      "Tell from the log who held when, whether two ever held at once, and how the time went.",
    details: [
      "Reads this lock's log, or FILE, of any size; - is standard input. Exits with 1 if two held the lock at",
      "once or a lock was leaked. Times have the log's resolution of a second.",
    ],
    flags: ["since", "until", "slug", "svg", "html", "json", ...EVERYWHERE],
    differs: {
      slug: { byDefault: null, help: "tell of this agent alone" },
      quiet: { help: "no lines about files that were written" },
    },
    takesCommand: false,
    operands: 1,
    examples: ["lock_folder_util report", "lock_folder_util report night.log --html night.html"],
  },
  {
    name: "doctor",
    group: "set up",
    synopsis: "[--dir DIR] [--peer DIR] [--json]",
    summary: "Examine the lock folder: can it be trusted?",
    details: [
      "Tries out, with eight processes of its own, what a lock needs of a folder, and says PASS, WARN or FAIL",
      "with a sentence for each; exits with 1 on any FAIL. --peer names a second mount of the same folder, as",
      "another machine has it: then half of the processes work there. Nothing is left behind. --json prints",
      "one object instead, with all that was measured.",
    ],
    flags: ["peer", "json", "dir", "name", "help"],
    takesCommand: false,
    operands: 0,
    examples: [
      "lock_folder_util doctor --dir /srv/locks",
      "lock_folder_util doctor --dir /mnt/a/locks --peer /mnt/b/locks",
    ],
  },
  {
    name: "herd",
    group: "set up",
    synopsis: "[--agents N] [--hold D] [--rounds N] [--slots N|NAMES] [--json]",
    summary: "Let a herd of agents at one lock, and report whether it let one in at a time.",
    details: [
      "Starts --agents processes of this program at once, in a fresh folder or in --dir, and prints the report",
      "of what they logged, PASS or FAIL; exits with 1 on FAIL, and a fresh folder is then kept. To test a share",
      "that several machines mount, start it on two of them at once with the same --dir.",
    ],
    flags: ["agents", "hold", "rounds", "slots", "poll", "stale", "timeout", "json", ...EVERYWHERE],
    differs: { dir: { byDefault: "a fresh folder" } },
    takesCommand: false,
    operands: 0,
    examples: [
      "lock_folder_util herd",
      "lock_folder_util herd --dir /mnt/share/locks --agents 20 --hold 100ms --rounds 5",
    ],
  },
  {
    name: "plan",
    group: "set up",
    synopsis: "--agents N --hold D [--slots N] [--poll D] [--timeout D] [--stagger D] [--json]",
    summary:
      "Tell what a fleet can expect: wall time, use of the lock, the longest hold that is safe.",
    details: ["For this program, and for one that looks every --poll seconds."],
    flags: ["agents", "hold", "slots", "poll", "timeout", "stagger", "json", "help"],
    differs: { agents: { byDefault: null }, hold: { byDefault: null } },
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util plan --agents 12 --hold 1 --poll 15 --stagger 60"],
  },
  {
    name: "guide",
    group: "set up",
    synopsis: "[--dir DIR] [--name NAME]",
    summary: "Print the instructions for agents, to paste into an AGENTS.md.",
    details: [
      "Markdown on stdout. With --dir, --name or LOCK_FOLDER_DIR it names your folder; @git and @user stay",
      "words, which mean the right folder on every machine.",
    ],
    flags: ["dir", "name", "help"],
    differs: { dir: { byDefault: "$LOCK_FOLDER_DIR, else @git" } },
    takesCommand: false,
    operands: 0,
    examples: ["lock_folder_util guide --dir @git >> AGENTS.md"],
  },
  {
    name: "completions",
    group: "set up",
    synopsis: "bash|zsh|fish|powershell",
    summary: "Print the completions for a shell.",
    details: [
      "For bash, put it into ~/.local/share/bash-completion/completions/lock_folder_util; for zsh, into a folder",
      "of your $fpath, as _lock_folder_util; for fish, into ~/.config/fish/completions/lock_folder_util.fish; for",
      "powershell, add it to your $PROFILE.",
    ],
    flags: ["help"],
    takesCommand: false,
    operands: 1,
    words: ["bash", "zsh", "fish", "powershell"],
    examples: [
      "lock_folder_util completions fish > ~/.config/fish/completions/lock_folder_util.fish",
    ],
  },
  {
    name: "help",
    group: "set up",
    synopsis: "[COMMAND]",
    summary: "Show help, or more about one command.",
    details: [],
    flags: ["help"],
    takesCommand: false,
    operands: 1,
    examples: ["lock_folder_util help run"],
  },
];

/** A flag as it is in this command. */
export function flagIn(command: CommandSpec, name: FlagName): Flag {
  const { byDefault: general, ...flag } = flagNamed(name);
  const { byDefault = general, help = flag.help } = command.differs?.[name] ?? {};
  return { ...flag, help, ...(byDefault != null && { byDefault }) };
}

export function commandNamed(name: string): CommandSpec | undefined {
  return COMMANDS.find((command) => command.name === name);
}
