/** A process's calls to its system, counted. */

import type { Sys } from "../../../lib/sys/sys.ts";

/** The same system, which calls `before` with the number of each of its calls, from 1 on. */
export function countedCalls(sys: Sys, before: (call: number) => void): Sys {
  let calls = 0;
  const part = <T extends object>(one: T): T =>
    new Proxy(one, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]) => {
          before(++calls);
          return method.apply(target, args);
        };
      },
    });
  return {
    files: part(sys.files),
    clock: part(sys.clock),
    random: part(sys.random),
    processes: part(sys.processes),
  };
}
