/** Checksums, as `sha256sum` writes them. */

/**
 * The SHA-256 of a file's bytes.
 *
 * @param bytes all of them
 * @return hexadecimal
 */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
