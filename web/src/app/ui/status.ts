import { Component, computed, input } from '@angular/core';
import type { Tone } from '../words/tone';

/** One shape a tone, so that a status reads without its colour. */
const shapes: Record<Tone, string> = {
  ok: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1z',
  info: 'M6 1l5 5-5 5-5-5z',
  warn: 'M6 .8l5.6 10.200H.4z',
  bad: 'M1.5 1.500h9v9h-9z',
  idle: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1zM6 3a3 3 0 1 0 0 6a3 3 0 0 0 0-6z',
};

/** Shape + word + colour. The word is the content. */
@Component({
  selector: 'soai-status',
  template: `
    <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false"><path fill-rule="evenodd" [attr.d]="shape()" /></svg>
    <ng-content />
  `,
  styleUrl: './status.scss',
  host: { '[class]': 'tone()' },
})
export class Status {
  readonly tone = input.required<Tone>();
  protected readonly shape = computed(() => shapes[this.tone()]);
}
