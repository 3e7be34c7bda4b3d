/**
 * The only place that words an error for a client: OpenAI's envelope under `/v1` and in streams, Anthropic's for Messages,
 * `{error: {code, message, hint, param, request_id}}` everywhere else (T84).
 */
import type { TaskFailure } from '../../activities/delivery';
import type { ManagementError } from '../contract/management';
import { AppError } from './app-error';
import { anthropicType } from './anthropic-type';
import { entryOf, isErrorCode } from './catalogue';
import type { ErrorType } from './entry';

/** SDKs ignore a longer Retry-After and repeat at once, so it must come with "don't" (contract 8). */
const LONGEST_HONOURED_WAIT_SEC = 60;

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
    readonly transient?: true;
  };
}

export function openAiEnvelope(error: AppError): OpenAiError {
  const { upstream } = error.details;
  return {
    error: {
      message: error.message,
      type: meaningful(upstream?.type) ?? openAiType(error),
      param: meaningful(error.param),
      code: meaningful(upstream?.code) ?? error.code,
      ...(entryOf(error.code).transient ? { transient: true as const } : {}),
    },
  };
}

/** What the Anthropic SDKs read; `code` and `param` come besides. */
export function anthropicEnvelope(error: AppError, requestId: string): object {
  const { message, type, ...rest } = openAiEnvelope(error).error;
  return { type: 'error', error: { type: anthropicType(type, error.status), message, ...rest }, request_id: requestId };
}

export function managementEnvelope(error: AppError, requestId: string): ManagementError {
  const { hint } = entryOf(error.code);
  const faults = error.details.faults && { faults: [...error.details.faults] };
  return {
    error: { code: error.code, message: error.message, hint, param: error.param, ...faults, request_id: requestId },
  };
}

/** Headers that go with the body: when to come back, how to sign in, which methods exist. */
export function errorHeaders(error: AppError): Record<string, string> {
  const headers: Record<string, string> = {};
  const wait = error.retryAfterSec === null ? null : Math.max(1, Math.ceil(error.retryAfterSec));
  const { shouldRetry } = entryOf(error.code);
  const tooLong = wait !== null && wait > LONGEST_HONOURED_WAIT_SEC;
  if (wait !== null) headers['retry-after'] = String(wait);
  const over = tooLong || error.details.triesSpent === true;
  if (shouldRetry !== null || over) headers['x-should-retry'] = String(shouldRetry === true && !over);
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.details.allow) headers['allow'] = error.details.allow.join(', ');
  return headers;
}

/** The `data:` of an in-band error event; no `[DONE]` follows it (contract 4). */
export function renderStreamError(failure: TaskFailure | AppError): string {
  return JSON.stringify(openAiEnvelope(failure instanceof AppError ? failure : fromTaskFailure(failure)));
}

export function fromTaskFailure(failure: TaskFailure): AppError {
  const { code, ...details } = failure;
  return new AppError(isErrorCode(code) ? code : 'internal_error', details);
}

/** Some backends print Python's None into these fields (T84). */
function meaningful(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' || text === 'None' ? null : text;
}

/** A status that was passed through decides the type, as it decides the SDK's error class. */
function openAiType(error: AppError): ErrorType {
  const { type, status } = entryOf(error.code);
  if (error.status === status) return type;
  if (error.status === 429) return 'rate_limit_error';
  if (error.status < 500) return 'invalid_request_error';
  return type === 'invalid_request_error' ? 'server_error' : type;
}
