import { Service } from '@angular/core';
import { Subject } from 'rxjs';
import { asProblem, isAbort, problemFrom } from './api-problem';

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  accept?: string;
  signal?: AbortSignal;
  /** Until the headers are there; the body may stream on for as long as it likes. */
  headersWithinMs?: number;
}

/** Longer than any healthy answer; a synchronous completion sets its own. */
const defaultHeadersWithinMs = 20_000;

/** Cookie session, CSRF header, and one kind of error, for every call to the server. */
@Service()
export class HttpTransport {
  /** From the session; proves that a changing request comes from this page (S29). */
  csrf: string | null = null;

  private readonly rejections = new Subject<void>();

  /** The session is no longer accepted. */
  readonly unauthorized = this.rejections.asObservable();

  async open(path: string, options: RequestOptions = {}): Promise<Response> {
    const timeout = new AbortController();
    const timer = setTimeout(
      () => timeout.abort(new DOMException('No answer in time', 'TimeoutError')),
      options.headersWithinMs ?? defaultHeadersWithinMs,
    );
    try {
      const response = await fetch(path, {
        method: options.method ?? 'GET',
        headers: this.headers(options),
        body: options.body === undefined ? null : JSON.stringify(options.body),
        credentials: 'same-origin',
        cache: 'no-store',
        signal: options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal,
      });
      if (response.ok) return response;
      if (response.status === 401) this.rejections.next();
      throw await problemFrom(response);
    } catch (error) {
      // A caller's own abort stays recognisable; everything else becomes a problem.
      throw isAbort(error) ? error : asProblem(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async json<T>(path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(path, options);
    if (response.status === 204) return undefined as T;
    try {
      return (await response.json()) as T;
    } catch (error) {
      throw isAbort(error) ? error : asProblem(error);
    }
  }

  private headers(options: RequestOptions): Record<string, string> {
    const headers: Record<string, string> = { accept: options.accept ?? 'application/json' };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    if (this.csrf !== null && (options.method ?? 'GET') !== 'GET') headers['x-soai-csrf'] = this.csrf;
    return headers;
  }
}
