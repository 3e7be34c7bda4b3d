import { Component, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { LiveState } from '../live/live-state';
import type { LiveValue } from '../live/live-value';
import { TaskTable } from '../tasks/task-table';
import { EmptyState } from '../ui/empty-state';
import { ProblemNotice } from '../ui/problem-notice';
import { EngineCard } from './engine-card';
import { HealthCard } from './health-card';
import { PluginsCard } from './plugins-card';
import { QueueCard } from './queue-card';

/** What a tired operator needs first: is it well, what waits, what happened last. */
@Component({
  selector: 'soai-dashboard',
  imports: [RouterLink, EmptyState, EngineCard, HealthCard, PluginsCard, ProblemNotice, QueueCard, TaskTable],
  templateUrl: './dashboard.html',
  styleUrl: './dashboard.scss',
})
export class Dashboard {
  protected readonly live = inject(LiveState);

  /** What an account may not see is left out rather than shown as an error. */
  protected mayRead(part: LiveValue<unknown>): boolean {
    return part.problem()?.status !== 403;
  }
}
