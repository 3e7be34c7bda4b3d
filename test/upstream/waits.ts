/** Waiting for a condition by being told of every change, never by polling. */
export class Waits {
  readonly #checks = new Set<() => void>();

  changed(): void {
    for (const check of [...this.#checks]) check();
  }

  /** Resolves with the first value that `look` returns; fails, naming `what`, after `withinMs`. */
  until<T>(what: string, look: () => T | undefined, withinMs: number): Promise<T> {
    const now = look();
    if (now !== undefined) return Promise.resolve(now);
    return new Promise<T>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#checks.delete(check);
      };
      const check = () => {
        const value = look();
        if (value === undefined) return;
        stop();
        resolve(value);
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`${what} did not happen within ${withinMs} ms`));
      }, withinMs);
      this.#checks.add(check);
    });
  }
}
