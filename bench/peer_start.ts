/**
 * What `run -- true` is measured against: the least that a compiled program can do to make a folder,
 * run a command, and remove the folder. Arguments: the folder, the command, its arguments.
 */
const [folder, program, ...args] = Deno.args;
if (folder === undefined || program === undefined) Deno.exit(64);
await Deno.mkdir(folder);
const { code } = await new Deno.Command(program, {
  args,
  stdin: "inherit",
  stdout: "inherit",
  stderr: "inherit",
}).spawn().status;
await Deno.remove(folder);
Deno.exit(code);
