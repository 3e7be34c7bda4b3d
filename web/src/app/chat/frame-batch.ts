/** A hidden page has no frames; twice a second is enough for nobody looking. */
const withoutFramesMs = 500;

/** Calls back at most once a frame, however often it is asked. */
export class FrameBatch {
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly flushed: () => void) {}

  request(): void {
    if (this.timer !== null) return;
    // Both: a page hidden before its frame comes would otherwise wait until it is seen again.
    this.frame = requestAnimationFrame(() => this.flush());
    this.timer = setTimeout(() => this.flush(), withoutFramesMs);
  }

  /** What is pending, now. */
  flush(): void {
    cancelAnimationFrame(this.frame);
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.flushed();
  }
}
