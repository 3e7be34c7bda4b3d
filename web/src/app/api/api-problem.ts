interface ManagementBody {
  error: { code: string; message: string; hint?: string | null; request_id?: string };
}

interface OpenAiBody {
  error: { code: string | null; message: string; type?: string; param?: string | null };
}

/** What every failed call becomes, whichever of the two error shapes (or none) it came in. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  constructor(
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
    readonly requestId: string | null = null,
    /** The HTTP status; 0 when no answer came, 200 when the failure arrived inside a stream. */
    readonly status = 0,
    readonly taskId: string | null = null,
  ) {
    super(message);
  }

  /** No answer at all, or a proxy's or starting server's "not now": worth waiting for. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

/** Reads an error response. Never throws: HTML or nothing at all still says what is known. */
export async function problemFrom(response: Response): Promise<ApiProblem> {
  const requestId = response.headers.get('x-request-id');
  const taskId = response.headers.get('x-soai-task-id');
  const body: unknown = await response.json().catch(() => null);
  if (!hasError(body)) {
    const sentence = `The server answered ${response.status}${response.statusText ? ` ${response.statusText}` : ''} without saying why.`;
    return new ApiProblem(`http_${response.status}`, sentence, null, requestId, response.status, taskId);
  }
  const { error } = body;
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : parameterHint(error);
  const id = 'request_id' in error && typeof error.request_id === 'string' ? error.request_id : requestId;
  return new ApiProblem(error.code ?? `http_${response.status}`, error.message, hint, id, response.status, taskId);
}

/** Anything thrown by a call, as one kind of problem. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new ApiProblem('timeout', 'The server took too long to answer.', 'Try again in a moment.');
  }
  if (error instanceof TypeError || error instanceof DOMException) {
    return new ApiProblem(
      'unreachable',
      'SoAI can’t be reached.',
      'Check that it is running and that this device is online.',
    );
  }
  return new ApiProblem('unexpected', error instanceof Error ? error.message : String(error));
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** `{error: {message: string}}` is the least both shapes share. */
export function hasError(body: unknown): body is ManagementBody | OpenAiBody {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && typeof (error as { message?: unknown }).message === 'string';
}

function parameterHint(error: ManagementBody['error'] | OpenAiBody['error']): string | null {
  return 'param' in error && typeof error.param === 'string' ? `Parameter: ${error.param}` : null;
}
