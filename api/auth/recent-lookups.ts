/**
 * Keeps what was just looked up for less than a second: a burst with one key is one query, and a
 * revoked key still stops working within a second (S23). Misses and failures are never kept.
 */
const MAX_AGE_MS = 900;
const MAX_ENTRIES = 10_000;

interface Entry<T> {
  readonly at: number;
  readonly value: Promise<T | null>;
}

export class RecentLookups<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(
    private readonly load: (key: string) => Promise<T | null>,
    private readonly now: () => number,
  ) {}

  get(key: string): Promise<T | null> {
    const known = this.entries.get(key);
    if (known && this.now() - known.at < MAX_AGE_MS) return known.value;
    // Its age counts from before the query, so that it can't hide a change made meanwhile.
    const entry: Entry<T> = { at: this.now(), value: this.load(key) };
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(key, entry);
    const forget = (): void => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    entry.value.then((value) => value === null && forget(), forget);
    return entry.value;
  }

  forget(key: string): void {
    this.entries.delete(key);
  }
}
