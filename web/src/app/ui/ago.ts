import { Component, computed, inject, input } from '@angular/core';
import { Clock } from '../live/clock';
import { relative } from './duration';

const exactly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A relative time; exact on hover. */
@Component({
  selector: 'soai-ago',
  template: `<time [attr.datetime]="iso()" [title]="exact()">{{ text() }}</time>`,
  styles: `
    :host {
      white-space: nowrap;
    }
  `,
})
export class Ago {
  private readonly clock = inject(Clock);
  readonly at = input.required<number>();
  protected readonly text = computed(() => relative(this.at(), this.clock.now()));
  protected readonly iso = computed(() => new Date(this.at()).toISOString());
  protected readonly exact = computed(() => exactly.format(this.at()));
}
