/**
 * What a hand-off is measured against: the least that a compiled program can do for one. It waits for a file lock,
 * makes a folder, runs a command, removes the folder, and ends, which lets the next one in. Arguments: the file to
 * lock, the folder, the command, its arguments.
 */
const [file, folder, program, ...args] = Deno.args;
if (file === undefined || folder === undefined || program === undefined) Deno.exit(64);
const gate = await Deno.open(file, { create: true, write: true });
await gate.lock(true);
await Deno.mkdir(folder);
const { code } = await new Deno.Command(program, {
  args,
  stdin: "inherit",
  stdout: "inherit",
  stderr: "inherit",
}).spawn().status;
await Deno.remove(folder);
Deno.exit(code);
