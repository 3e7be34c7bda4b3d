/** Notes when keys were last used, one write for many requests. Losing a few seconds of it is no harm. */
import type { Keys } from '../../store/store';

const FLUSH_MS = 5_000;

export class LastUsed {
  private readonly pending = new Set<string>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly keys: Pick<Keys, 'touch'>,
    private readonly now: () => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  note(keyId: string): void {
    this.pending.add(keyId);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  async flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const ids = [...this.pending];
    this.pending.clear();
    if (ids.length === 0) return;
    await this.keys.touch(ids, this.now()).catch(this.onError);
  }
}
