import { DestroyRef, inject, Injectable, signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { asProblem, isAbort, type ApiProblem } from '../api/api-problem';
import type { TaskDetail } from '../api/contract';
import { SoaiApi } from '../api/soai-api';
import { LiveState } from '../live/live-state';

/** Live events carry the summary at once; plan and attempts are fetched after it, at most this often. */
const refetchEveryMs = 500;

/** One task, kept up to date. */
@Injectable()
export class WatchedTask {
  private readonly api = inject(SoaiApi);
  private id: string | null = null;
  private request: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  private readonly current = signal<TaskDetail | null>(null);
  readonly task = this.current.asReadonly();
  readonly problem = signal<ApiProblem | null>(null);

  constructor() {
    const live = inject(LiveState);
    live.tasks.pipe(takeUntilDestroyed()).subscribe((task) => {
      if (task.id !== this.id) return;
      this.current.update((known) => known && { ...known, ...task });
      this.refetchSoon();
    });
    live.resynced.pipe(takeUntilDestroyed()).subscribe(() => this.refetchSoon());
    inject(DestroyRef).onDestroy(() => this.leave());
  }

  watch(id: string): void {
    this.leave();
    this.id = id;
    this.current.set(null);
    void this.refresh();
  }

  async refresh(): Promise<void> {
    if (this.id === null) return;
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    try {
      this.current.set(await this.api.task(this.id, request.signal));
      this.problem.set(null);
    } catch (error) {
      if (!isAbort(error)) this.problem.set(asProblem(error));
    }
  }

  private refetchSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.refresh();
    }, refetchEveryMs);
  }

  private leave(): void {
    this.request?.abort();
    clearTimeout(this.timer);
    this.timer = undefined;
    this.id = null;
  }
}
