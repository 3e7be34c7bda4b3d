import { Component, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { LiveState } from '../live/live-state';

/** "3 waiting · 2 running", each leading to its list. */
@Component({
  selector: 'soai-queue-counts',
  imports: [RouterLink],
  template: `
    @if (live.queue.value(); as queue) {
      <a routerLink="/tasks" [queryParams]="{ state: 'queued' }">{{ queue.waiting }} waiting</a>
      <span aria-hidden="true">·</span>
      <a routerLink="/tasks" [queryParams]="{ state: 'running' }">{{ queue.running }} running</a>
    }
  `,
  styles: `
    :host {
      display: flex;
      gap: 6px;
      color: var(--soai-muted);
      font-size: 13.5px;
      white-space: nowrap;
    }
    a {
      border-radius: 4px;
      color: inherit;
      text-decoration: none;
    }
    a:hover {
      text-decoration: underline;
    }
    /* The dashboard, one touch away, has them all. */
    @media (max-width: 479px) {
      :host {
        display: none;
      }
    }
  `,
})
export class QueueCounts {
  protected readonly live = inject(LiveState);
}
