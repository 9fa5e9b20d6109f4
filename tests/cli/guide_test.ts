import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EXIT } from "../../lib/lock/exit_codes.ts";
import { say } from "./fake_host.ts";

async function guide(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  // Nothing of the machine may be looked at for it.
  const { code, out, err } = await say(["guide", ...args], { env });
  assertEquals([code, err], [0, ""]);
  return out;
}

Deno.test("guide says what every exit code asks of an agent", async () => {
  const text = await guide();
  for (const code of Object.values(EXIT)) {
    assertMatch(
      text,
      new RegExp(`^\\| (\\d+, )?${code}( from [^|]+|, \\d+)? \\| .+ \\| .+ \\|$`, "m"),
    );
  }
});

Deno.test("guide says by what the lock's codes are told from the command's own", async () => {
  const words = (await guide()).replace(/\s+/g, " ");
  assertStringIncludes(words, "only where the last line on stderr begins with `lock_folder_util:`");
  assertStringIncludes(words, "never repeat it as if nothing had run");
});

Deno.test("guide names the folder and the lock that are given, for a shell", async () => {
  const LOCK = "--dir '/srv/it'\\''s here' --name device-7";
  const text = await guide(["--dir", "/srv/it's here", "--name", "device-7"]);
  assertStringIncludes(text, "only under the lock `/srv/it's here/device-7.lock`:");
  assertStringIncludes(text, `lock_folder_util run ${LOCK} --slug YOUR-NAME --die-with-parent `);
  assertStringIncludes(text, `lock_folder_util check ${LOCK} `);
  assertStringIncludes(text, `lock_folder_util acquire ${LOCK} --slug YOUR-NAME `);
  assertStringIncludes(text, "trap 'lock_folder_util release --dir '\\''/srv/it");
});

Deno.test("guide makes a relative folder absolute, also that of the variable", async () => {
  for (const [args, env] of [[["--dir", "x"], {}], [[], { LOCK_FOLDER_DIR: "x" }]] as const) {
    assertStringIncludes(await guide(args, env), " --dir '/work folder/x' ");
  }
});

Deno.test("guide keeps the words that mean another path on each machine", async () => {
  for (const word of ["@git", "@user"]) {
    assertStringIncludes(await guide(["--dir", word]), ` --dir ${word} --slug `);
  }
  assertEquals(await guide([], { LOCK_FOLDER_DIR: "@user" }), await guide(["--dir", "@user"]));
});

Deno.test("guide is Markdown without a placeholder left open, in lines that can be read", async () => {
  const text = await guide();
  assertMatch(text, /^## /);
  assertEquals(text.match(/^```/gm)?.length, 6);
  assertEquals(/undefined|null|\$\{/.test(text), false);
  for (const line of text.split("\n")) {
    if (!line.startsWith("|")) assertEquals(line.length <= 120, true, line);
  }
});
