import { Component, computed, inject, input, resource } from '@angular/core';
import { asProblem } from '../api/api-problem';
import type { TaskDetail } from '../api/contract';
import { SoaiApi } from '../api/soai-api';
import { Markdown } from '../markdown/markdown';
import { CopyButton } from '../ui/copy-button';
import { EmptyState } from '../ui/empty-state';
import { ProblemNotice } from '../ui/problem-notice';
import { isEnded } from '../words/task-words';
import { answerText } from './answer-text';

/** The stored answer (C7), as text and as it was sent. */
@Component({
  selector: 'soai-task-response',
  imports: [CopyButton, EmptyState, Markdown, ProblemNotice],
  templateUrl: './task-response.html',
  styleUrl: './task-response.scss',
})
export class TaskResponse {
  private readonly api = inject(SoaiApi);
  readonly task = input.required<TaskDetail>();

  protected readonly ended = computed(() => isEnded(this.task().state));
  private readonly wanted = computed(() => (this.ended() ? this.task().id : undefined));
  protected readonly stored = resource({
    params: () => this.wanted(),
    loader: ({ params, abortSignal }) => this.api.taskResponse(params, abortSignal),
  });

  protected readonly problem = computed(() => {
    const error = this.stored.error();
    // A loader's rejection may come wrapped.
    return error ? asProblem(error.cause ?? error) : null;
  });
  protected readonly text = computed(() => (this.stored.hasValue() ? answerText(this.stored.value()) : null));
  protected readonly raw = computed(() => (this.stored.hasValue() ? JSON.stringify(this.stored.value(), null, 2) : ''));
}
