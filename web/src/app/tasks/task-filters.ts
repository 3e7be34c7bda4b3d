import { Component, computed, inject, input, output, resource } from '@angular/core';
import { ModelApi } from '../api/model-api';
import type { TaskFilter } from '../api/soai-api';
import { LiveState } from '../live/live-state';
import { taskStates } from '../words/task-words';

@Component({
  selector: 'soai-task-filters',
  templateUrl: './task-filters.html',
  styleUrl: './task-filters.scss',
})
export class TaskFilters {
  private readonly api = inject(ModelApi);
  private readonly live = inject(LiveState);

  readonly filter = input.required<TaskFilter>();
  readonly narrowed = output<TaskFilter>();

  protected readonly states = [
    { value: '', word: 'All' },
    ...Object.entries(taskStates).map(([value, { word }]) => ({ value, word })),
  ];

  private readonly listed = resource({ loader: () => this.api.models(), defaultValue: [] });

  /** What is filtered by stays a choice, even when the server no longer lists it. */
  protected readonly models = computed(() => {
    const names = this.listed.hasValue() ? this.listed.value().map((model) => model.id) : [];
    return withCurrent(names, this.filter().model);
  });
  protected readonly plugins = computed(() =>
    withCurrent(
      (this.live.plugins.value() ?? []).map((plugin) => plugin.id),
      this.filter().plugin,
    ),
  );
}

function withCurrent(names: string[], current: string | undefined): string[] {
  return current && !names.includes(current) ? [current, ...names] : names;
}
