import { Component, computed, input } from '@angular/core';
import type { TaskDetail } from '../api/contract';
import { Ago } from '../ui/ago';
import { Status } from '../ui/status';
import { timeline } from './timeline';

@Component({
  selector: 'soai-task-timeline',
  imports: [Ago, Status],
  template: `
    <section aria-labelledby="story-title">
      <h2 id="story-title" class="sr-only">Story</h2>
      <ol>
        @for (entry of entries(); track $index) {
          <li [class]="entry.tone">
            <p class="head">
              <strong>{{ entry.title }}</strong>
              @if (entry.word) {
                <soai-status [tone]="entry.tone">{{ entry.word }}</soai-status>
              }
              @if (entry.at !== null) {
                <span class="muted small when"><soai-ago [at]="entry.at" /></span>
              }
            </p>
            @for (line of entry.lines; track $index) {
              <p class="line">{{ line }}</p>
            }
            @if (entry.code) {
              <code>{{ entry.code }}</code>
            }
          </li>
        }
      </ol>
    </section>
  `,
  styleUrl: './task-timeline.scss',
})
export class TaskTimeline {
  readonly task = input.required<TaskDetail>();
  protected readonly entries = computed(() => timeline(this.task()));
}
