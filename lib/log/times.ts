/** The times of a log's lines: from when to when, and where they step back. */

export class LogTimes {
  readonly clock = { backwards: 0, largestMs: 0, line: 0 };
  earliestMs = Infinity;
  latestMs = -Infinity;
  #previousMs = NaN;

  watch(atMs: number, line: number): void {
    const backMs = this.#previousMs - atMs;
    if (backMs > 0) {
      this.clock.backwards++;
      if (backMs > this.clock.largestMs) {
        this.clock.largestMs = backMs;
        this.clock.line = line;
      }
    }
    this.#previousMs = atMs;
    if (atMs < this.earliestMs) this.earliestMs = atMs;
    if (atMs > this.latestMs) this.latestMs = atMs;
  }
}
