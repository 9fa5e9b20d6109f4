/** Where a measurement was made, and with which versions. */
import { firstLineOf } from "./programs.ts";

/**
 * Says so as Markdown.
 *
 * @return a few list items
 */
export async function describeMachine(): Promise<string> {
  const cpu = /^model name\s*:\s*(.+)$/m.exec(await Deno.readTextFile("/proc/cpuinfo"))?.[1];
  const python = await firstLineOf("python3", ["--version"]);
  const [load] = Deno.loadavg();
  const facts = [
    `${new Date().toISOString().slice(0, 10)}, ${cpu ?? "processor unknown"}, ` +
    `${navigator.hardwareConcurrency} cores, ` +
    `${Math.round(Deno.systemMemoryInfo().total / 1e9)} GB, load ${load!.toFixed(2)} at the start`,
    `Linux ${Deno.osRelease()}, ${await firstLineOf("flock", ["--version"]) ?? "no flock"}, ` +
    `${python ?? "no Python"}, Node ${await firstLineOf("node", ["--version"]) ?? "missing"}`,
    `Deno ${Deno.version.deno} builds the programs`,
  ];
  return facts.map((fact) => `- ${fact}\n`).join("");
}
