/** Things to come, the earliest first; of the same instant in the order they were added. */
export class Agenda<T> {
  private readonly heap: { readonly at: number; readonly sequence: number; readonly what: T }[] = [];
  private added = 0;

  get nextAt(): number {
    return this.heap[0]?.at ?? Infinity;
  }

  add(at: number, what: T): void {
    const { heap } = this;
    const entry = { at, sequence: (this.added += 1), what };
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  take(): T | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || first === last) return first?.what;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
    return first.what;
  }
}

interface Timed {
  readonly at: number;
  readonly sequence: number;
}

function isBefore(a: Timed, b: Timed): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
