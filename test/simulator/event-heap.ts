/** Events by time; those of the same instant in the order in which they were scheduled. */
export interface SimulatedEvent {
  at: number;
  sequence: number;
  /** Whose event it is: it waits while its owner is frozen, and goes with it. */
  readonly owner: string;
  readonly act: () => void;
  cancelled: boolean;
}

export class EventHeap {
  private readonly events: SimulatedEvent[] = [];

  push(event: SimulatedEvent): void {
    const { events } = this;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[at] = events[parent]!;
      at = parent;
    }
    events[at] = event;
  }

  pop(): SimulatedEvent | undefined {
    const { events } = this;
    const first = events[0];
    const last = events.pop();
    if (last && events.length > 0) this.sink(last);
    return first;
  }

  [Symbol.iterator](): Iterator<SimulatedEvent> {
    return this.events.values();
  }

  private sink(event: SimulatedEvent): void {
    const { events } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child += 1;
      if (!isBefore(events[child]!, event)) break;
      events[at] = events[child]!;
      at = child;
    }
    events[at] = event;
  }
}

function isBefore(a: SimulatedEvent, b: SimulatedEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
