import { effect, inject, Service, signal, untracked } from '@angular/core';
import { Session } from '../session/session';

/** Unsent text outlives a reload, another page and an ended session, for the account that typed it. */
@Service()
export class Draft {
  private key: string | null = null;
  private readonly typed = signal('');
  readonly text = this.typed.asReadonly();

  constructor() {
    const { account } = inject(Session);
    effect(() => {
      const id = account()?.id;
      untracked(() => {
        this.key = id ? `soai.chat-draft.${id}` : null;
        this.typed.set(this.read());
      });
    });
  }

  set(text: string): void {
    this.typed.set(text);
    try {
      if (this.key !== null) sessionStorage.setItem(this.key, text);
    } catch {
      // Storage is blocked: it lives as long as this page.
    }
  }

  private read(): string {
    try {
      return this.key === null ? '' : (sessionStorage.getItem(this.key) ?? '');
    } catch {
      // Storage is blocked.
      return '';
    }
  }
}
