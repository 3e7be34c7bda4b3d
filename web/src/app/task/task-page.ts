import { Component, computed, effect, inject, input, signal, untracked } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatDialog } from '@angular/material/dialog';
import { Title } from '@angular/platform-browser';
import { RouterLink } from '@angular/router';
import { firstValueFrom } from 'rxjs';
import { asProblem, type ApiProblem } from '../api/api-problem';
import { SoaiApi } from '../api/soai-api';
import { CopyButton } from '../ui/copy-button';
import { EmptyState } from '../ui/empty-state';
import { Icon } from '../ui/icon';
import { ProblemNotice } from '../ui/problem-notice';
import { Status } from '../ui/status';
import { isEnded, taskStates } from '../words/task-words';
import { CancelDialog } from './cancel-dialog';
import { TaskFacts } from './task-facts';
import { TaskPlan } from './task-plan';
import { TaskResponse } from './task-response';
import { TaskTimeline } from './task-timeline';
import { WatchedTask } from './watched-task';

@Component({
  selector: 'soai-task-page',
  imports: [
    RouterLink,
    MatButton,
    CopyButton,
    EmptyState,
    Icon,
    ProblemNotice,
    Status,
    TaskFacts,
    TaskPlan,
    TaskResponse,
    TaskTimeline,
  ],
  providers: [WatchedTask],
  templateUrl: './task-page.html',
  styleUrl: './task-page.scss',
})
export class TaskPage {
  private readonly api = inject(SoaiApi);
  private readonly dialog = inject(MatDialog);
  private readonly title = inject(Title);
  protected readonly watched = inject(WatchedTask);

  /** Both from the address. */
  readonly id = input.required<string>();
  readonly view = input<string>();

  protected readonly cancelling = signal(false);
  protected readonly cancelProblem = signal<ApiProblem | null>(null);
  protected readonly status = computed(() => {
    const task = this.watched.task();
    return task ? taskStates[task.state] : null;
  });
  protected readonly cancellable = computed(() => {
    const task = this.watched.task();
    return task !== null && !isEnded(task.state);
  });

  constructor() {
    effect(() => {
      const id = this.id();
      untracked(() => this.watched.watch(id));
    });
    effect(() => {
      const task = this.watched.task();
      if (task) this.title.setTitle(`${task.model}, ${taskStates[task.state].word.toLowerCase()} · SoAI`);
    });
  }

  protected async cancel(): Promise<void> {
    const task = this.watched.task();
    if (!task) return;
    const dialog = this.dialog.open(CancelDialog, { data: task, autoFocus: 'first-heading', maxWidth: '440px' });
    if (!(await firstValueFrom(dialog.afterClosed()))) return;
    this.cancelling.set(true);
    this.cancelProblem.set(null);
    try {
      await this.api.cancelTask(task.id);
    } catch (error) {
      this.cancelProblem.set(asProblem(error));
    } finally {
      // Whether it worked or the task had ended meanwhile: show what is so now.
      await this.watched.refresh();
      this.cancelling.set(false);
    }
  }
}
