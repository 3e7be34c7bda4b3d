import { DestroyRef, inject, Service, signal } from '@angular/core';

/** The present, once a second, for countdowns and "3 min ago". */
@Service()
export class Clock {
  private readonly present = signal(Date.now());
  readonly now = this.present.asReadonly();

  constructor() {
    const timer = setInterval(() => this.present.set(Date.now()), 1_000);
    inject(DestroyRef).onDestroy(() => clearInterval(timer));
  }
}
