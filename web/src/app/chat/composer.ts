import type { ElementRef } from '@angular/core';
import { Component, inject, input, output, viewChild } from '@angular/core';
import { Icon } from '../ui/icon';
import { Draft } from './draft';

@Component({
  selector: 'soai-composer',
  imports: [Icon],
  template: `
    <form (submit)="$event.preventDefault(); send()">
      <textarea
        #field
        rows="1"
        aria-label="Message"
        placeholder="Ask something"
        aria-describedby="composer-keys"
        [value]="draft.text()"
        (input)="draft.set(field.value)"
        (keydown.enter)="enter($event)"
      ></textarea>
      @if (running()) {
        <button type="button" class="stop" aria-label="Stop the answer" title="Stop" (click)="stopped.emit()">
          <soai-icon name="stop" />
        </button>
      } @else {
        <button type="submit" aria-label="Send" title="Send" [disabled]="!ready() || !draft.text().trim()">
          <soai-icon name="send" />
        </button>
      }
    </form>
    <p id="composer-keys" class="small muted">
      <ng-content /><span class="keys">Enter sends, Shift+Enter starts a new line</span>
    </p>
  `,
  styleUrl: './composer.scss',
})
export class Composer {
  protected readonly draft = inject(Draft);
  private readonly field = viewChild.required<ElementRef<HTMLTextAreaElement>>('field');

  readonly running = input.required<boolean>();
  /** A model is there to ask. */
  readonly ready = input.required<boolean>();
  readonly sent = output<string>();
  readonly stopped = output<void>();

  focus(): void {
    this.field().nativeElement.focus();
  }

  /** Enter ends a composed character (Japanese, Chinese, …) before it ends a message. */
  protected enter(event: Event): void {
    const { shiftKey, isComposing } = event as KeyboardEvent;
    if (shiftKey || isComposing) return;
    event.preventDefault();
    this.send();
  }

  protected send(): void {
    const text = this.draft.text().trim();
    if (!text || this.running() || !this.ready()) return;
    this.draft.set('');
    this.sent.emit(text);
  }
}
