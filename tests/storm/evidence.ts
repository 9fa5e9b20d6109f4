/** What went wrong in a storm, and the events that led to it. */

/** Enough for the minutes before a finding; a long storm has far more. */
const EVENTS_KEPT = 20_000;

export class Evidence {
  readonly findings: string[] = [];
  readonly #startMs = performance.now();
  readonly #events: string[] = [];

  /** Notes an event, with its time since the storm began. */
  note(event: string): void {
    this.#events.push(`${this.#seconds()} ${event}`);
    if (this.#events.length > 2 * EVENTS_KEPT) this.#events.splice(0, EVENTS_KEPT);
  }

  /** Notes that an invariant is broken. */
  found(finding: string): void {
    this.findings.push(`${this.#seconds()} ${finding}`);
    this.note(`FOUND ${finding}`);
  }

  /** @param path of a file that then tells the storm's events in order */
  async write(path: string): Promise<void> {
    await Deno.writeTextFile(path, this.#events.join("\n") + "\n");
  }

  #seconds(): string {
    return ((performance.now() - this.#startMs) / 1000).toFixed(3).padStart(9);
  }
}

/** How one part of a storm ended. */
export interface PartReport {
  readonly part: string;
  /** What was done and counted, for a person. */
  readonly summary: string;
  readonly findings: readonly string[];
}

/** Makes the report of a part, and keeps the folder of one that found something. */
export async function concludePart(
  part: string,
  summary: string,
  evidence: Evidence,
  root: string,
): Promise<PartReport> {
  const { findings } = evidence;
  if (findings.length === 0) {
    await Deno.remove(root, { recursive: true });
    return { part, summary, findings };
  }
  await evidence.write(`${root}/timeline.txt`);
  return { part, summary: `${summary}; kept in ${root}`, findings };
}
