import { inject, Service } from '@angular/core';
import type { Health, List, Plugin, QueueSnapshot, Session, SignIn, SystemInfo, Task, TaskDetail } from './contract';
import { HttpTransport } from './http-transport';

export interface TaskFilter {
  state?: string;
  model?: string;
  plugin?: string;
}

/** The management API, one typed function a call. */
@Service()
export class SoaiApi {
  private readonly http = inject(HttpTransport);

  session(): Promise<Session> {
    return this.http.json('/api/v1/session', { headersWithinMs: 10_000 });
  }

  signIn(credentials: SignIn): Promise<Session> {
    return this.http.json('/api/v1/session', { method: 'POST', body: credentials });
  }

  signOut(): Promise<void> {
    return this.http.json('/api/v1/session', { method: 'DELETE' });
  }

  health(): Promise<Health> {
    return this.http.json('/api/v1/system/health');
  }

  systemInfo(): Promise<SystemInfo> {
    return this.http.json('/api/v1/system/info');
  }

  queue(): Promise<QueueSnapshot> {
    return this.http.json('/api/v1/queue');
  }

  plugins(): Promise<List<Plugin>> {
    return this.http.json('/api/v1/plugins');
  }

  tasks(
    filter: TaskFilter,
    page: { limit: number; cursor?: string | null },
    signal?: AbortSignal,
  ): Promise<List<Task>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value);
    query.set('limit', String(page.limit));
    if (page.cursor) query.set('cursor', page.cursor);
    return this.http.json(`/api/v1/tasks?${query}`, { signal });
  }

  task(id: string, signal?: AbortSignal): Promise<TaskDetail> {
    return this.http.json(`/api/v1/tasks/${encodeURIComponent(id)}`, { signal });
  }

  taskResponse(id: string, signal?: AbortSignal): Promise<unknown> {
    return this.http.json(`/api/v1/tasks/${encodeURIComponent(id)}/response`, { signal });
  }

  cancelTask(id: string): Promise<unknown> {
    return this.http.json(`/api/v1/tasks/${encodeURIComponent(id)}/cancel`, { method: 'POST', body: {} });
  }

  /** Live events (SSE); resolves when the stream is open. */
  events(signal: AbortSignal): Promise<Response> {
    return this.http.open('/api/v1/events', { accept: 'text/event-stream', signal, headersWithinMs: 10_000 });
  }
}
