import { sharedWord } from "../../../../lib/words/paths.ts";
import { assertEquals } from "@std/assert";
import {
  commonFolderTarget,
  foldersUpwards,
  gitFileTarget,
  ownFolderIn,
  temporaryFolder,
  userFolder,
} from "../../../../lib/folder/place/shared_folders.ts";

function variables(values: Readonly<Record<string, string>>): (name: string) => string | undefined {
  return (name) => values[name];
}

Deno.test("sharedWord() knows two words, and no path that has one in it", () => {
  assertEquals(["@git", "@user"].map(sharedWord), ["@git", "@user"]);
  for (const dir of ["./@git", "@git/x", "/x/@git", "@", "@gits", "", undefined]) {
    assertEquals(sharedWord(dir), null);
  }
});

Deno.test("foldersUpwards() goes from a folder to the root, on every kind of system", () => {
  assertEquals(foldersUpwards("/a/b c/d"), ["/a/b c/d", "/a/b c", "/a", "/"]);
  assertEquals(foldersUpwards("/"), ["/"]);
  assertEquals(foldersUpwards("C:/a/b"), ["C:/a/b", "C:/a", "C:/"]);
});

Deno.test("gitFileTarget() reads what git writes, absolute and relative", () => {
  assertEquals(gitFileTarget("gitdir: /m/.git/worktrees/w\n", "/w"), "/m/.git/worktrees/w");
  assertEquals(gitFileTarget("gitdir: ../m/.git/worktrees/w\n", "/x/w"), "/x/m/.git/worktrees/w");
  assertEquals(gitFileTarget("gitdir: C:/m/.git\r\n", "C:/w"), "C:/m/.git");
  assertEquals(gitFileTarget("gitdir: /a b \n", "/w"), "/a b ");
});

Deno.test("gitFileTarget() refuses what is no such file", () => {
  for (const text of ["", "\n", "gitdir:/x\n", "gitdir: \n", "gitdir: a\nb\n", "/x\n", "\0"]) {
    assertEquals(gitFileTarget(text, "/w"), null, JSON.stringify(text));
  }
});

Deno.test("commonFolderTarget() leads from a worktree's git folder to that of all", () => {
  assertEquals(commonFolderTarget("../..\n", "/m/.git/worktrees/w"), "/m/.git");
  assertEquals(commonFolderTarget("/m/.git", "/elsewhere"), "/m/.git");
  assertEquals(commonFolderTarget("\n", "/m/.git/worktrees/w"), null);
});

Deno.test("ownFolderIn() is a folder of our name, at the root too", () => {
  assertEquals(ownFolderIn("/m/.git"), "/m/.git/lock_folder_util");
  assertEquals(ownFolderIn("/"), "/lock_folder_util");
});

Deno.test("userFolder() is where each system keeps a user's state", () => {
  const home = { HOME: "/home/u", LOCALAPPDATA: "C:\\Users\\u\\AppData\\Local" };
  assertEquals(userFolder("linux", variables(home)), { path: "/home/u/.local/state" });
  assertEquals(userFolder("linux", variables({ ...home, XDG_STATE_HOME: "/s/" })), { path: "/s" });
  assertEquals(userFolder("linux", variables({ XDG_STATE_HOME: "/s" })), { path: "/s" });
  assertEquals(userFolder("darwin", variables({ ...home, XDG_STATE_HOME: "/s" })), {
    path: "/home/u/Library/Application Support",
  });
  assertEquals(userFolder("windows", variables(home)), { path: "C:/Users/u/AppData/Local" });
});

Deno.test("userFolder() passes over a relative XDG_STATE_HOME, as its rules say", () => {
  const values = variables({ HOME: "/home/u", XDG_STATE_HOME: "state" });
  assertEquals(userFolder("linux", values), { path: "/home/u/.local/state" });
});

Deno.test("userFolder() names the variable that is missing", () => {
  assertEquals(userFolder("linux", variables({})), { missing: "HOME is not set" });
  assertEquals(userFolder("darwin", variables({ HOME: "" })), { missing: "HOME is not set" });
  assertEquals(userFolder("linux", variables({ HOME: "u" })), {
    missing: "HOME is not an absolute path",
  });
  assertEquals(userFolder("windows", variables({ HOME: "/u" })), {
    missing: "LOCALAPPDATA is not set",
  });
});

Deno.test("temporaryFolder() is the user's choice, else the system's", () => {
  assertEquals(temporaryFolder("linux", variables({})), "/tmp");
  assertEquals(temporaryFolder("linux", variables({ TMPDIR: "/scratch/" })), "/scratch");
  assertEquals(temporaryFolder("linux", variables({ TMPDIR: "scratch" })), "/tmp");
  assertEquals(temporaryFolder("windows", variables({ TEMP: "D:\\T" })), "D:/T");
});
