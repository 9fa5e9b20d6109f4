// The npm build of Deno's standard library carries no type declarations, so every import of it
// would be `any`. These are the parts that this project uses, under the names of its import map;
// `compilerOptions.types` in deno.json brings them in. Only type checking reads this file.

declare module "@std/cli/parse-args" {
  /** What parseArgs() is told about the flags. */
  export interface ParseOptions {
    /** Leave everything after `--` in `result["--"]` instead of `result._`. */
    readonly "--"?: boolean;
    /** Flag to its other names. */
    readonly alias?: Readonly<Record<string, string | readonly string[]>>;
    /** Flags without a value; `true` makes every `--flag` one. */
    readonly boolean?: boolean | string | readonly string[];
    /** Flags whose values gather in an array. */
    readonly collect?: string | readonly string[];
    /** Flag to the value it has when it is not given. */
    readonly default?: Readonly<Record<string, unknown>>;
    /** Flags that `--no-flag` turns off. */
    readonly negatable?: string | readonly string[];
    /** Stop at the first argument that is no flag; the rest goes to `result._`. */
    readonly stopEarly?: boolean;
    /** Flags whose value stays text, even if it looks like a number. */
    readonly string?: string | readonly string[];
    /** Called for a flag named nowhere above; `false` keeps it out of the result. */
    readonly unknown?: (argument: string, key?: string, value?: unknown) => unknown;
  }

  /** Flags by name, not yet of any type that we rely on: parse them into our own at once. */
  export interface ParsedArgs {
    /** The arguments that are no flags. Numbers, where they look like one and no option says otherwise. */
    _: (string | number)[];
    /** What came after `--`; there only with the option of that name. */
    "--"?: string[];
    [flag: string]: unknown;
  }

  /**
   * Parses command-line arguments.
   *
   * @param args the arguments, without the program's name
   * @param options what the flags are
   * @return flags by name
   */
  export function parseArgs(args: readonly string[], options?: ParseOptions): ParsedArgs;
}

declare module "@std/assert" {
  // deno-lint-ignore no-explicit-any -- a class is told apart by its instances alone
  type AnyClass<T> = abstract new (...args: any[]) => T;

  /** What every assertion here throws. */
  export class AssertionError extends Error {}

  export function assert(expression: unknown, message?: string): asserts expression;
  export function assertFalse(expression: unknown, message?: string): void;
  export function assertExists<T>(
    actual: T,
    message?: string,
  ): asserts actual is NonNullable<T>;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertStrictEquals<T>(
    actual: unknown,
    expected: T,
    message?: string,
  ): asserts actual is T;
  export function assertNotStrictEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertAlmostEquals(
    actual: number,
    expected: number,
    tolerance?: number,
    message?: string,
  ): void;
  export function assertGreater<T>(actual: T, expected: T, message?: string): void;
  export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void;
  export function assertLess<T>(actual: T, expected: T, message?: string): void;
  export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  export function assertArrayIncludes<T>(
    actual: ArrayLike<T>,
    expected: ArrayLike<T>,
    message?: string,
  ): void;
  export function assertObjectMatch(
    // deno-lint-ignore no-explicit-any -- any object at all, interfaces without an index too
    actual: Record<PropertyKey, any>,
    expected: Record<PropertyKey, unknown>,
    message?: string,
  ): void;
  export function assertInstanceOf<T>(
    actual: unknown,
    expected: AnyClass<T>,
    message?: string,
  ): asserts actual is T;
  export function assertNotInstanceOf<A, T>(
    actual: A,
    unexpected: AnyClass<T>,
    message?: string,
  ): asserts actual is Exclude<A, T>;
  export function assertIsError<E extends Error = Error>(
    error: unknown,
    errorClass?: AnyClass<E>,
    messageMatches?: string | RegExp,
    message?: string,
  ): asserts error is E;

  export function assertThrows(fn: () => unknown, message?: string): unknown;
  export function assertThrows<E extends Error = Error>(
    fn: () => unknown,
    errorClass: AnyClass<E>,
    messageIncludes?: string,
    message?: string,
  ): E;
  export function assertRejects(fn: () => PromiseLike<unknown>, message?: string): Promise<unknown>;
  export function assertRejects<E extends Error = Error>(
    fn: () => PromiseLike<unknown>,
    errorClass: AnyClass<E>,
    messageIncludes?: string,
    message?: string,
  ): Promise<E>;

  export function equal(actual: unknown, expected: unknown): boolean;
  export function fail(message?: string): never;
  export function unimplemented(message?: string): never;
  export function unreachable(reason?: string): never;
}

declare module "@std/text/closest-string" {
  /** The nearest of `possibleWords` by edit distance; fails if there are none. */
  export function closestString(givenWord: string, possibleWords: readonly string[]): string;
}

declare module "@std/text/levenshtein-distance" {
  /** How many characters must be added, left out or changed. */
  export function levenshteinDistance(a: string, b: string): number;
}
