/** What may fail with a job. */

/** A job that was called off. */
export class JobCancelled extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "JobCancelled";
  /**
   * Says which job.
   * @param id of the job
   */
  constructor(readonly id: string) {
    super(`job ${id} was cancelled`);
  }
}

/** A job that could not be submitted: it runs nothing. */
export class JobRefused extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "JobRefused";
  /**
   * Says why.
   * @param lock absolute path of the lock
   * @param reason for a person
   */
  constructor(readonly lock: string, readonly reason: string) {
    super(`a job for ${lock} could not be submitted: ${reason}`);
  }
}

/** There is no job of that id, or no longer. */
export class NoJob extends Error {
  /** Tells it from other errors, where classes cannot. */
  override readonly name = "NoJob";
  /**
   * Says which one was asked for.
   * @param lock absolute path of the lock
   * @param id that was asked for
   */
  constructor(readonly lock: string, readonly id: string) {
    super(`${lock} has no job ${id}`);
  }
}
