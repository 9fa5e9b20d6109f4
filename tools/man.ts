/** `deno task man`: writes the manual page to `dist/lock_folder_util.1`. */
import { manPage } from "./man_page.ts";
import { runTool } from "./plain.ts";
import { projectFolder } from "./project.ts";

/**
 * The page's date. Packagers set SOURCE_DATE_EPOCH, so that the same sources give the same page whatever
 * the day.
 *
 * @param epoch seconds since 1970, as text; undefined for today
 * @param nowMs the present time
 * @return as `2026-08-22`
 */
export function pageDate(epoch: string | undefined, nowMs: number): string {
  const ms = epoch !== undefined && /^\d{1,11}$/.test(epoch) ? Number(epoch) * 1000 : nowMs;
  return new Date(ms).toISOString().slice(0, 10);
}

async function writeManPage(): Promise<void> {
  const root = projectFolder();
  const { version } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const output = `${root}/dist/lock_folder_util.1`;
  await Deno.mkdir(`${root}/dist`, { recursive: true });
  const date = pageDate(Deno.env.get("SOURCE_DATE_EPOCH"), Date.now());
  await Deno.writeTextFile(output, manPage({ version, date }));
  console.log(output);
}

if (import.meta.main) await runTool("man", writeManPage);
