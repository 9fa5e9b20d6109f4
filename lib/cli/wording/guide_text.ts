/** The instructions for an agent, as Markdown for an AGENTS.md. Every sentence is one that an agent acts upon. */

import { EXIT } from "../../lock/exit_codes.ts";
import { shellWord } from "../../words/slugs.ts";

export interface GuidePlace {
  /** What `--dir` is to be: a path or a word such as `@git`; null where nobody has said. */
  readonly dir: string | null;
  /** The lock itself, where it is known and the same on every machine. */
  readonly lockPath: string | null;
  /** Null for the one that needs no `--name`. */
  readonly name: string | null;
}

export function guideText(place: GuidePlace): string {
  const dir = place.dir ?? "@git";
  const name = place.name === null ? "" : ` --name ${place.name}`;
  const lock = ` --dir ${shellWord(dir)}${name}`;
  const run = `lock_folder_util run${lock} --slug YOUR-NAME`;
  return `## One at a time: the lock

Other agents use the same resource as you. Touch it only under the lock${lockWords(place)}:

\`\`\`sh
${run} --die-with-parent --timeout 90 -- ./deploy.sh --all
\`\`\`

\`run\` waits for your turn, runs the command, gives the lock back whatever happens, and exits with the command's
own status. \`--dir ${dir}\` stands in each line because your shell may forget variables between calls:
${dirWords(place.dir)}
Without \`--dir\` it would be \`.tmp\`: another lock in each folder.

- **Wrap exactly the commands that use the resource.** Read, plan, edit and build before; look at the output
  and think after. The lock must be free again right after the last command on the resource, not after the
  thinking. Never keep it while you wait for a person, a review or a model.
- **Several commands in a row are one \`run\`**, of a script or of \`sh -c './first && ./second'\`. If a decision
  must be made between them, let the lock go and take it again.
- **\`--slug\` is your name in the log:** the same in all your calls, and nobody else's; no white space.
  \`--note 'why'\` tells the others what you want it for.
- **\`--die-with-parent\`** ends wait and command if your tool kills the call. Without it the orphan would run your
  command minutes later, beside the call that you make again.
- **Waiting is normal.** Waiters are served in order of arrival. If your tool limits a call, \`--timeout\` is that limit,
  less the longest run of your command, less ten seconds (90 in the lines here suits a limit of two minutes and a
  command of twenty seconds). With more, your command would be killed half-way. If little is left by that sum, submit
  a job instead.
- **After ${EXIT.gaveUp} make the same call again, at once, until it is not ${EXIT.gaveUp}.** Nothing has run. Your place in line is kept
  for ten minutes; others pass while you are away.
- **If your command may outlast a call, alone or after its wait, submit it as a job** (without \`--die-with-parent\`), do
  other work, and collect it, in as many calls as it takes. For \`result\`, \`--timeout\` is your tool's limit less ten
  seconds. ${EXIT.gaveUp} from \`result\` means: not yet, ask again; each call writes all from the beginning. Note the id: an
  ended job is known by it and its slug alone. Never submit the same work twice.
\`\`\`sh
lock_folder_util run${lock} --slug YOUR-NAME --detach -- ./long-work.sh
lock_folder_util result ID${lock} --timeout 90
\`\`\`

- **After a call that was killed, look first:** \`lock_folder_util status${lock}\`.
  It names who holds, who waits, and all jobs. If a call or a job of yours is there, it goes on without you: collect
  it, or wait. If not, see from the resource whether your command has run.
- **Never go round the lock**, however long you wait: do not remove \`*.lock\`, do not use \`release --force\`,
  do not run the command bare. A dead holder's lock is broken by itself, and one that nobody answers for by its
  age (the waiting line says how soon); one that still stands is in use.
- **Nested use is safe.** A \`run\` on the same lock inside a \`run\` goes straight through. If you need two locks, take
  them in one call, with \`--name\` for each: all or none.
- **If you are told of slots** (\`--slots 3\`), say the same \`--slots\` in each call that takes the lock. Your command
  finds the slot that it may use in \`LOCK_FOLDER_SLOT\`.
- **Before a step that cannot be undone:** \`lock_folder_util check${lock} && ./publish.sh\`, inside the \`run\`.
- **\`acquire\` and \`release\`** only where \`run\` cannot do it, and in one shell call, so that the lock is released
  on failure too. Without \`renew\` such a hold is broken after ten minutes.

\`\`\`sh
(
  lock_folder_util acquire${lock} --slug YOUR-NAME --die-with-parent || exit
  trap ${shellWord(`lock_folder_util release${lock} --slug YOUR-NAME`)} EXIT
  trap 'exit 1' HUP INT TERM
  ./work
)
\`\`\`

What the exit code asks of you. **Your command itself may end with any code too:** one above 0 is the lock's only where
the last line on stderr begins with \`lock_folder_util:\` and says so (with \`--json\`, giving up is told by the line of
JSON instead). Without such a line your command has run, perhaps half-way: treat the code as the command's own, and
never repeat it as if nothing had run.

| code | what happened | what you do |
|---|---|---|
| ${EXIT.done} | done | go on; after a line that the lock is lost, look at the resource first |
| ${EXIT.gaveUp} | not your turn within \`--timeout\`; nothing ran | the same call again, at once: your place in line is kept |
| ${EXIT.holdLost} | the lock was lost, and \`--on-lost terminate\` ended the command half-way | look at what state the resource is in, then decide anew; never just repeat |
| ${EXIT.folderUnusable} | the lock folder is missing or cannot be used; nothing ran | put \`--dir\` right; if you cannot, stop and tell a person. Do not work without the lock |
| ${EXIT.ioFailed} from \`result\` | the job was killed; the line says whether its command still runs | look at the resource, then decide anew |
| ${EXIT.ioFailed} | the lock could not be taken (nothing ran), or not be given back after your command ran (disk full, I/O) | as the line says; tell a person if it happens again |
| ${EXIT.usage} | your command line is wrong; nothing ran | correct it as the line says |
| ${EXIT.noLog} from \`report\` | the file that you named is no log | name the log itself |
| ${EXIT.noInput} from \`report\` | the file that you named is not there, or cannot be read | name one that is |
| ${EXIT.defect} | a defect of this program; the line says what | tell a person, with that line |
| ${EXIT.no} from \`result\`, after a line that there is no such job | other \`--dir\` or \`--name\` than \`run\` had, or deleted | look at \`status\`; submit it again only if you see from the resource that it has not run |
| ${EXIT.no} from \`check\`, \`renew\`, \`release\` | the lock is not yours any more | stop; what it guards may be another's |
| ${EXIT.notExecutable}, ${EXIT.notFound} | your command cannot be started | correct the command after \`--\` |
| any other, or one of these without such a line | your command's own status; the lock is free again | as you would without a lock |

With \`--json\`, \`run\` and \`acquire\` say how the wait ended in one line of JSON on stderr, and in no other:
\`{"event":"acquired",…,"waited_ms":…}\`, or \`{"event":"gave_up",…,"holder":{"slug":…}}\` with who holds it.
`;
}

function lockWords({ lockPath }: GuidePlace): string {
  return lockPath === null ? "" : ` \`${lockPath}\``;
}

function dirWords(dir: string | null): string {
  switch (dir) {
    case null:
      return "one folder for all worktrees of this repository; or give one absolute path, the same for all.";
    case "@git":
      return "one folder for all worktrees of this repository.";
    case "@user":
      return "one folder for all that this user runs here.";
    default:
      return "the same absolute path for everybody.";
  }
}
