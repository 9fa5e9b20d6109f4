/** A folder of a test's own, gone when the test is over. */

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await Deno.makeTempDir({ prefix: "lock_folder_util-" });
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
