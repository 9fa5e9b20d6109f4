/** Files that look like compiled programs where a release looks at them. */

import type { Target } from "../../tools/release_targets.ts";

/** How Deno says what a program is to be run with: here, as ours is. */
export const METADATA = {
  argv: [],
  code_cache_key: null,
  permissions: {
    allow_env: [],
    deny_env: null,
    ignore_env: null,
    allow_ffi: [],
    allow_import: [],
    allow_net: [],
    allow_read: [],
    allow_run: [],
    allow_sys: [],
    allow_write: [],
    prompt: false,
  },
  entrypoint_key: "main.js",
  unsafely_ignore_certificate_errors: null,
  env_vars_from_env_file: {},
};

const HEAD_BYTES = 256;
/** Where the made-up Windows program has its second head. */
const PE_OFFSET = 128;

/**
 * @param target what it is for
 * @param metadata how it is to be run
 * @param modules the code in it
 */
export function madeUpProgram(
  target: Target,
  metadata: unknown,
  modules: string,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(metadata));
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(text.length), true);
  const encode = (words: string) => [...new TextEncoder().encode(words)];
  return new Uint8Array([
    ...head(target),
    // The run-time itself compares with the mark.
    ...encode("state: d3n0l4nd\n"),
    ...encode("d3n0l4nd"),
    ...length,
    ...text,
    ...encode(modules),
    ...encode("d3n0l4nd"),
  ]);
}

function head({ os, machine }: Target): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  switch (os) {
    case "linux":
      view.setUint32(0, 0x7f454c46);
      view.setUint8(4, 2);
      view.setUint16(18, machine === "x86_64" ? 62 : 183, true);
      break;
    case "darwin":
      view.setUint32(0, 0xfeedfacf, true);
      view.setUint32(4, machine === "x86_64" ? 0x01000007 : 0x0100000c, true);
      break;
    case "windows":
      view.setUint16(0, 0x4d5a);
      view.setUint32(0x3c, PE_OFFSET, true);
      view.setUint32(PE_OFFSET, 0x50450000);
      view.setUint16(PE_OFFSET + 4, 0x8664, true);
  }
  return bytes;
}
