import { Component, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { CopyButton } from './copy-button';

/** As much of an ApiProblem as is shown and, in conversations, kept. */
export interface ShownProblem {
  code: string;
  message: string;
  hint: string | null;
  requestId: string | null;
  taskId: string | null;
}

/** What failed, why, what to do, and the request id to hand on. */
@Component({
  selector: 'soai-problem',
  imports: [RouterLink, CopyButton],
  template: `
    @let it = problem();
    <p class="what">
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false"><path d="M1.5 1.5h9v9h-9z" /></svg>
      <span>
        @if (title()) {
          <strong>{{ title() }}</strong>
        }
        {{ it.message }}
      </span>
    </p>
    @if (it.hint) {
      <p class="hint">{{ it.hint }}</p>
    }
    <p class="facts">
      <code>{{ it.code }}</code>
      @if (it.requestId) {
        <span class="id"
          >Request <code>{{ it.requestId }}</code></span
        >
        <soai-copy [text]="it.requestId" what="request id" />
      }
      @if (it.taskId) {
        <a [routerLink]="['/tasks', it.taskId]">Open the task</a>
      }
    </p>
    <ng-content />
  `,
  styleUrl: './problem-notice.scss',
})
export class ProblemNotice {
  readonly problem = input.required<ShownProblem>();
  readonly title = input('');
}
