/** Lets only so many pieces of work be under way at once; the others take their turn in the order they came. */
export class Gate {
  private underWay = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay < this.width) this.underWay += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so nobody slips in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.underWay -= 1;
    }
  }
}
