import { assertEquals } from "@std/assert";
import { FileFault } from "../../../lib/sys/faults.ts";
import { asFault } from "../../../lib/sys/deno/os_faults.ts";

Deno.test("asFault() takes the code that the error carries", () => {
  const thrown = Object.assign(new Error("Permission denied (os error 13): mkdir '/x'"), {
    code: "EACCES",
  });
  const fault = asFault(thrown, "mkdir", "/x");
  assertEquals([fault.code, fault.operation, fault.path], ["EACCES", "mkdir", "/x"]);
  assertEquals(fault.reason, "permission denied");
});

Deno.test("asFault() finds the number in the message where there is no code", () => {
  const known: [number, string][] = [[28, "ENOSPC"], [37, "ENOLCK"], [122, "EDQUOT"]];
  for (const [number, code] of known) {
    assertEquals(asFault(new Error(`Failed (os error ${number})`), "lock", "/x").code, code);
  }
});

Deno.test("asFault() falls back to the run-time's own classes", () => {
  assertEquals(asFault(new Deno.errors.NotFound("gone"), "stat", "/x").code, "ENOENT");
  assertEquals(asFault(new Deno.errors.AlreadyExists("there"), "mkdir", "/x").code, "EEXIST");
  assertEquals(asFault(new Deno.errors.PermissionDenied("no"), "open", "/x").code, "EACCES");
});

Deno.test("asFault() says UNKNOWN where nothing is known, and takes anything thrown", () => {
  assertEquals(asFault(new Error("strange"), "stat", "/x").code, "UNKNOWN");
  assertEquals(asFault("text", "stat", "/x").reason, "text");
  assertEquals(asFault(undefined, "stat", "/x").code, "UNKNOWN");
});

Deno.test("asFault() calls a folder that is not empty so on xfs too", () => {
  const thrown = Object.assign(new Error("File exists (os error 17)"), { code: "EEXIST" });
  assertEquals(asFault(thrown, "rmdir", "/x").code, "ENOTEMPTY");
  assertEquals(asFault(thrown, "mkdir", "/x").code, "EEXIST");
});

Deno.test("asFault() leaves a fault as it is", () => {
  const fault = new FileFault("EIO", "read", "/x", "bad disk");
  assertEquals(asFault(fault, "open", "/y"), fault);
});
