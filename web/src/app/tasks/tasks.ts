import { Component, computed, effect, inject, input, untracked } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import type { TaskFilter } from '../api/soai-api';
import { EmptyState } from '../ui/empty-state';
import { ProblemNotice } from '../ui/problem-notice';
import { TaskFilters } from './task-filters';
import { TaskList } from './task-list';
import { TaskTable } from './task-table';

@Component({
  selector: 'soai-tasks',
  imports: [RouterLink, MatButton, EmptyState, ProblemNotice, TaskFilters, TaskTable],
  providers: [TaskList],
  templateUrl: './tasks.html',
  styleUrl: './tasks.scss',
})
export class Tasks {
  private readonly router = inject(Router);
  protected readonly list = inject(TaskList);

  /** The filters live in the address: it can be shared, and back works. */
  readonly state = input<string>();
  readonly model = input<string>();
  readonly plugin = input<string>();

  protected readonly filter = computed<TaskFilter>(
    () => ({ state: this.state(), model: this.model(), plugin: this.plugin() }),
    {
      equal: (a, b) => a.state === b.state && a.model === b.model && a.plugin === b.plugin,
    },
  );
  protected readonly filtered = computed(() => Object.values(this.filter()).some(Boolean));

  constructor() {
    effect(() => {
      const filter = this.filter();
      untracked(() => void this.list.show(filter));
    });
  }

  protected narrow(change: TaskFilter): void {
    const queryParams = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value || null]));
    void this.router.navigate([], { queryParams, queryParamsHandling: 'merge' });
  }

  protected showNew(): void {
    void this.list.reload();
    document.querySelector('main')?.scrollTo({ top: 0 });
  }
}
