const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** A run this long is a good one: the next failure starts from the first delay. */
const GOOD_RUN_MS = 30_000;
/** Starts in a row that never came up, after which the database file is held to be the cause. */
const FRUITLESS_STARTS = 3;

/** How long to wait before each new launch, and when to doubt the database. */
export class RestartPolicy {
  #delayMs = FIRST_DELAY_MS;
  #fruitless = 0;
  #cameUp = false;

  cameUp(): void {
    this.#cameUp = true;
  }

  ended(ranForMs: number): void {
    if (ranForMs >= GOOD_RUN_MS) this.#delayMs = FIRST_DELAY_MS;
    this.#fruitless = this.#cameUp ? 0 : this.#fruitless + 1;
    this.#cameUp = false;
  }

  nextDelayMs(): number {
    const current = this.#delayMs;
    this.#delayMs = Math.min(current * 2, LONGEST_DELAY_MS);
    return current;
  }

  /** True for the one launch after that many fruitless starts. */
  get databaseIsSuspect(): boolean {
    return this.#fruitless === FRUITLESS_STARTS;
  }
}
