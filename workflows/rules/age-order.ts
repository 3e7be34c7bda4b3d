/**
 * A list kept in the order of enqueue times; items of the same instant stay in the order they came.
 * Nearly every insertion is at the end, and the lists are short, so an array beats a tree.
 */
export class AgeOrder<T extends { readonly enqueuedAt: number }> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  get oldest(): T | undefined {
    return this.items[0];
  }

  get newest(): T | undefined {
    return this.items.at(-1);
  }

  insert(item: T): void {
    let at = this.items.length;
    while (at > 0 && this.enqueuedAt(at - 1) > item.enqueuedAt) at -= 1;
    this.items.splice(at, 0, item);
  }

  /** False: it was not in the list. */
  delete(item: T): boolean {
    for (let at = this.firstFrom(item.enqueuedAt); at < this.items.length; at += 1) {
      if (this.items[at] === item) {
        this.items.splice(at, 1);
        return true;
      }
    }
    return false;
  }

  find(wanted: (item: T) => boolean): T | undefined {
    return this.items.find(wanted);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.items.values();
  }

  /** First position whose item is not older than `enqueuedAt`. */
  private firstFrom(enqueuedAt: number): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.enqueuedAt(middle) < enqueuedAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private enqueuedAt(at: number): number {
    return this.items[at]?.enqueuedAt ?? Infinity;
  }
}
