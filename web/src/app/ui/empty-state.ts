import { Component, input } from '@angular/core';
import { Icon } from './icon';
import type { IconName } from './icons';

/** Says what would be here; the content offers the next step. */
@Component({
  selector: 'soai-empty',
  imports: [Icon],
  template: `
    <span class="badge"><soai-icon [name]="icon()" /></span>
    <p class="title">{{ title() }}</p>
    <div class="next"><ng-content /></div>
  `,
  styles: `
    :host {
      display: grid;
      justify-items: center;
      gap: 6px;
      padding: 28px 16px;
      text-align: center;
    }
    .badge {
      display: grid;
      place-items: center;
      width: 44px;
      height: 44px;
      margin-bottom: 4px;
      border-radius: 50%;
      background: var(--soai-idle-tint);
      color: var(--soai-idle);
    }
    .title {
      font-weight: 600;
    }
    .next {
      max-width: 46ch;
      color: var(--soai-muted);
      font-size: 14px;
    }
  `,
})
export class EmptyState {
  readonly icon = input.required<IconName>();
  readonly title = input.required<string>();
}
