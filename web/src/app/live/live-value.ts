import { signal } from '@angular/core';
import { asProblem, type ApiProblem } from '../api/api-problem';

/** A value the server keeps us posted on: the last one known, when it came, and what kept it from coming. */
export class LiveValue<T> {
  private readonly current = signal<T | null>(null);
  private readonly failure = signal<ApiProblem | null>(null);
  private version = 0;

  readonly value = this.current.asReadonly();
  readonly problem = this.failure.asReadonly();

  set(value: T): void {
    this.version += 1;
    this.current.set(value);
    this.failure.set(null);
  }

  update(change: (value: T | null) => T): void {
    this.set(change(this.current()));
  }

  /** An event that arrives while the answer travels is newer than the answer, and stays. */
  async load(read: () => Promise<T>): Promise<void> {
    const asked = this.version;
    try {
      const value = await read();
      if (this.version === asked) this.set(value);
    } catch (error) {
      // Shown where the value belongs; the other parts of the page are none the worse for it.
      if (this.version === asked) this.failure.set(asProblem(error));
    }
  }

  clear(): void {
    this.version += 1;
    this.current.set(null);
    this.failure.set(null);
  }
}
