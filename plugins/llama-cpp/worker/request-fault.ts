import type { z } from 'zod';
import type { OpenAiError, WorkerFailure } from '../protocol';

/** Ends a call with a status and an error in OpenAI's shape (contract 1). */
export class RequestFault extends Error {
  constructor(
    readonly status: number,
    readonly error: OpenAiError,
  ) {
    super(error.message);
  }

  toFailure(): WorkerFailure {
    return { kind: 'status', status: this.status, error: this.error };
  }
}

export function badRequest(code: string, message: string, param: string | null): RequestFault {
  return new RequestFault(400, { message, type: 'invalid_request_error', param, code });
}

export function contextTooLong(tokens: number, contextSize: number, param: string): RequestFault {
  const message = `The input has ${tokens} tokens; the model takes ${contextSize} for input and answer together.`;
  return badRequest('context_length_exceeded', message, param);
}

/** The first fault; a backend's error body has room for one. */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path.map(String).join('.') || null;
  const reason = issue?.message ?? 'is not valid';
  throw badRequest('invalid_value', param === null ? reason : `${param}: ${reason}`, param);
}
