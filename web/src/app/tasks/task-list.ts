import { DestroyRef, inject, Injectable, signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { asProblem, isAbort, type ApiProblem } from '../api/api-problem';
import type { Task } from '../api/contract';
import { SoaiApi, type TaskFilter } from '../api/soai-api';
import { LiveState } from '../live/live-state';

const pageSize = 50;

/**
 * Pages of tasks under one filter. Rows on show are kept up to date in place; new ones are only
 * counted, so that nothing jumps under the reader's eyes.
 */
@Injectable()
export class TaskList {
  private readonly api = inject(SoaiApi);
  private filter: TaskFilter = {};
  private cursor: string | null = null;
  private request: AbortController | null = null;
  private readonly unseenIds = signal<ReadonlySet<string>>(new Set());

  private readonly rows = signal<readonly Task[] | null>(null);
  readonly tasks = this.rows.asReadonly();
  readonly loading = signal(false);
  readonly more = signal(false);
  readonly problem = signal<ApiProblem | null>(null);

  constructor() {
    const live = inject(LiveState);
    live.tasks.pipe(takeUntilDestroyed()).subscribe((task) => this.take(task));
    live.resynced.pipe(takeUntilDestroyed()).subscribe(() => void this.refresh());
    inject(DestroyRef).onDestroy(() => this.request?.abort());
  }

  unseen(): number {
    return this.unseenIds().size;
  }

  show(filter: TaskFilter): Promise<void> {
    this.filter = filter;
    this.rows.set(null);
    return this.reload();
  }

  reload(): Promise<void> {
    return this.fetch(null, (page) => this.rows.set(page));
  }

  loadMore(): Promise<void> {
    return this.fetch(this.cursor, (page) => this.rows.update((rows) => merge(rows ?? [], page)));
  }

  /** After a reconnect: what is on show is brought up to date, what is new is counted. */
  private async refresh(): Promise<void> {
    const before = this.rows();
    if (before === null || this.loading()) return;
    try {
      const page = await this.api.tasks(this.filter, { limit: pageSize });
      if (this.rows() === before) for (const task of page.data) this.take(task);
    } catch {
      // The connection reports what is wrong; the rows on show stay as they were.
    }
  }

  private async fetch(cursor: string | null, use: (page: readonly Task[]) => void): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.loading.set(true);
    this.problem.set(null);
    try {
      const page = await this.api.tasks(this.filter, { limit: pageSize, cursor }, request.signal);
      use(page.data);
      this.cursor = page.next_cursor;
      this.more.set(page.next_cursor !== null);
      if (cursor === null) this.unseenIds.set(new Set());
    } catch (error) {
      if (!isAbort(error)) this.problem.set(asProblem(error));
    } finally {
      if (this.request === request) this.loading.set(false);
    }
  }

  private take(task: Task): void {
    const rows = this.rows();
    if (rows === null) return;
    if (rows.some((row) => row.id === task.id)) {
      this.rows.set(rows.map((row) => (row.id === task.id ? task : row)));
    } else if (this.isNewer(task, rows) && matches(task, this.filter)) {
      this.unseenIds.update((ids) => new Set(ids).add(task.id));
    }
  }

  /** An older task that is not on show belongs to a page not loaded yet. */
  private isNewer(task: Task, rows: readonly Task[]): boolean {
    const newest = rows[0];
    return !newest || task.accepted_at >= newest.accepted_at || this.filter.state !== undefined;
  }
}

function merge(rows: readonly Task[], page: readonly Task[]): readonly Task[] {
  const known = new Set(rows.map((row) => row.id));
  return [...rows, ...page.filter((task) => !known.has(task.id))];
}

function matches(task: Task, filter: TaskFilter): boolean {
  const { state, model, plugin } = filter;
  return (
    (!state || task.state === state) &&
    (!model || task.model === model) &&
    (!plugin || task.served_by?.plugin === plugin)
  );
}
