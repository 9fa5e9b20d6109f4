/** Some of many, and how many there were: lists that a log of any size cannot make long. */

export interface Listed<T> {
  readonly count: number;
  readonly some: readonly T[];
}

/** Keeps the first ones: where the cause of all that follows is. */
export class FirstFew<T> {
  readonly #most: number;
  readonly #kept: T[] = [];
  #count = 0;

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make called only if there is still room */
  add(make: () => T): void {
    this.#count++;
    if (this.#kept.length < this.#most) this.#kept.push(make());
  }

  listed(): Listed<T> {
    return { count: this.#count, some: this.#kept };
  }
}

/** Keeps the latest ones: where the question of this morning is. */
export class LastFew<T> {
  readonly #most: number;
  readonly #ring: T[] = [];
  #count = 0;

  /** @param most how many are kept */
  constructor(most: number) {
    this.#most = most;
  }

  add(one: T): void {
    this.#ring[this.#count % this.#most] = one;
    this.#count++;
  }

  listed(): Listed<T> {
    const oldest = this.#count <= this.#most ? 0 : this.#count % this.#most;
    const some = [...this.#ring.slice(oldest), ...this.#ring.slice(0, oldest)];
    return { count: this.#count, some };
  }
}
