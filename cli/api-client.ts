/** Calls a SoAI server and turns every way it can fail into an exit code (spec J). */
import { CliError, EXIT } from './exit-code';
import { VERSION } from './installation';

export interface ServerAddress {
  /** e.g. http://127.0.0.1:8420 */
  readonly url: string;
  readonly token: string | null;
}

/** No management call takes longer on a living server. */
const TIMEOUT_MS = 30_000;

export class ApiClient {
  constructor(readonly address: ServerAddress) {}

  async get<T>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<T> {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    return this.json<T>('GET', path + search);
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return this.json<T>('POST', path, body);
  }

  async patch<T>(path: string, body: unknown): Promise<T> {
    return this.json<T>('PATCH', path, body);
  }

  async delete<T>(path: string): Promise<T | null> {
    return this.json<T | null>('DELETE', path);
  }

  /** The body as text, with its type: for answers that are passed on as they are. */
  async text(path: string): Promise<{ text: string; type: string }> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.open('GET', path, { signal });
    return { text: await this.read(response), type: response.headers.get('content-type') ?? '' };
  }

  /** A response whose headers have come and whose status is good; the caller reads the body. */
  async open(method: string, path: string, options: { signal: AbortSignal; body?: unknown }): Promise<Response> {
    const { signal, body } = options;
    const response = await fetch(this.address.url + path, {
      method,
      signal,
      // The token must not follow a redirect to somewhere else.
      redirect: 'manual',
      headers: {
        'user-agent': `soai-cli/${VERSION}`,
        ...(this.address.token === null ? {} : { authorization: `Bearer ${this.address.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw this.unreachable(error);
    });
    if (!response.ok) throw this.refusal(response.status, await this.read(response));
    return response;
  }

  /** What a failed call or a broken read means; an abort by the caller stays what it is. */
  unreachable(error: unknown): Error {
    if (error instanceof CliError || (error as Error).name === 'AbortError') return error as Error;
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    const why =
      (error as Error).name === 'TimeoutError'
        ? 'no answer in time'
        : (cause?.code ?? cause?.message ?? (error as Error).message);
    const message = `${this.address.url} cannot be reached (${why}).`;
    return new CliError(EXIT.unreachable, 'unreachable', message, 'Is it running? Start it with: soai start');
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await this.open(method, path, { signal, ...(body === undefined ? {} : { body }) });
    const text = await this.read(response);
    if (response.status === 204 || (text === '' && method === 'DELETE')) return null as T;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new CliError(EXIT.failed, 'not_soai', `${this.address.url} does not answer like a SoAI server.`);
    }
  }

  private async read(response: Response): Promise<string> {
    return response.text().catch((error: unknown) => {
      throw this.unreachable(error);
    });
  }

  private refusal(status: number, body: string): CliError {
    const { code, message, hint } = errorOf(body);
    const advice =
      status === 401 && this.address.token === null ? 'Set SOAI_API_KEY to a key of this server.' : (hint ?? null);
    return new CliError(
      EXIT_OF_STATUS[status] ?? EXIT.failed,
      code ?? `http_${status}`,
      message ?? `${this.address.url} answered with HTTP ${status}.`,
      advice,
    );
  }
}

/** 409, 422: the state of the thing, or of what it names, forbids it. */
const EXIT_OF_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.refused,
  422: EXIT.refused,
};

interface WireError {
  readonly code?: string | null;
  readonly message?: string;
  readonly hint?: string | null;
}

/** `{"error": {...}}` of the management API, of `/v1`, and of an in-band event alike. */
export function errorOf(body: string): WireError {
  try {
    const { error } = JSON.parse(body) as { error?: WireError };
    return typeof error === 'object' && error !== null ? error : {};
  } catch {
    return {};
  }
}
