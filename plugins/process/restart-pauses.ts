/** Lets a backend that keeps failing be started ever more seldom: at once, then after 1, 2, 4 … 30 s. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** One that ran this long failed for a new reason. */
const GOOD_RUN_MS = 60_000;

export class RestartPauses {
  private failures = 0;
  private startedAt: number | null = null;
  private until = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  started(): void {
    this.startedAt = this.now();
  }

  failed(): void {
    const now = this.now();
    if (this.startedAt !== null && now - this.startedAt >= GOOD_RUN_MS) this.failures = 0;
    this.startedAt = null;
    this.failures += 1;
    const pauseMs = this.failures === 1 ? 0 : Math.min(FIRST_MS * 2 ** (this.failures - 2), LONGEST_MS);
    this.until = now + pauseMs;
  }

  /** Until the next start may be tried; 0 now. */
  leftMs(): number {
    return Math.max(0, this.until - this.now());
  }
}
