import { Component, input } from '@angular/core';
import type { TaskDetail } from '../api/contract';

/** D3: which members were to be tried, and why others were left out. */
@Component({
  selector: 'soai-task-plan',
  template: `
    <section aria-labelledby="plan-title">
      <h2 id="plan-title">Plan</h2>
      <ol>
        @for (step of plan(); track $index) {
          <li [class.dropped]="step.dropped !== null">
            <span>{{ step.model }}</span>&ngsp;<span class="muted small">on {{ step.plugin }}</span>
            @if (step.dropped !== null) {
              <span class="why small">Left out: {{ step.dropped }}</span>
            } @else if (servedBy()?.model === step.model && servedBy()?.plugin === step.plugin) {
              <span class="why small">Served it</span>
            }
          </li>
        } @empty {
          <li class="muted">No plan was made.</li>
        }
      </ol>
    </section>
  `,
  styles: `
    ol {
      display: grid;
      gap: 8px;
      margin-top: 12px;
      padding: 0;
      list-style: none;
      font-size: 14px;
    }
    li {
      overflow-wrap: anywhere;
    }
    .dropped > span:first-child {
      text-decoration: line-through;
      color: var(--soai-muted);
    }
    .why {
      display: block;
      color: var(--soai-muted);
    }
  `,
})
export class TaskPlan {
  readonly plan = input.required<TaskDetail['plan']>();
  readonly servedBy = input.required<TaskDetail['served_by']>();
}
