import { effect, inject, Service } from '@angular/core';
import { Connection } from '../live/connection';

interface Kept {
  element: HTMLElement;
  selection: [start: number, end: number] | null;
}

/** Remembers where somebody was typing before the offline screen took over, and puts them back. */
@Service()
export class FocusKeeper {
  private kept: Kept | null = null;

  constructor() {
    const connection = inject(Connection);
    // Noted when the line drops, before the page below becomes inert and loses its focus.
    effect(() => {
      if (connection.status().kind === 'lost' && !connection.outage()) this.note();
    });
  }

  giveBack(): void {
    const kept = this.kept;
    this.kept = null;
    if (!kept?.element.isConnected) return;
    // The page is still inert in this turn.
    requestAnimationFrame(() => {
      kept.element.focus({ preventScroll: true });
      if (kept.selection && kept.element instanceof HTMLTextAreaElement)
        kept.element.setSelectionRange(...kept.selection);
    });
  }

  private note(): void {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return;
    const isText = activeElement instanceof HTMLTextAreaElement;
    this.kept = {
      element: activeElement,
      selection: isText ? [activeElement.selectionStart, activeElement.selectionEnd] : null,
    };
  }
}
