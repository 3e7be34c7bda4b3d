/** Reads and judges a JSON body; the routes find it parsed and as the text that was sent. */
import { isUtf8 } from 'node:buffer';
import type { BodyBudget } from '../../activities/body-budget';
import { AppError } from '../errors/app-error';
import type { Context, Middleware } from '../state';
import { JsonScanner } from './json-scanner';
import { readBody } from './read-body';

export interface JsonBody {
  readonly value: unknown;
  readonly text: string;
}

/** @param receiving bounds the bodies that are being received (fault F12); those of accepted requests are the dispatcher's */
export function jsonBody(maxBytes: number, receiving: BodyBudget): Middleware {
  return async (ctx, next) => {
    const { value, text } = await readJsonBody(ctx, maxBytes, receiving);
    ctx.state.body = value;
    ctx.state.bodyText = text;
    await next();
  };
}

export async function readJsonBody(
  ctx: Pick<Context, 'req' | 'res'>,
  maxBytes: number,
  receiving: BodyBudget | null = null,
): Promise<JsonBody> {
  requireJson(ctx.req.headers['content-type']);
  const scanner = new JsonScanner();
  let taken = 0;
  try {
    const bytes = await readBody(ctx.req, ctx.res, maxBytes, (chunk) => {
      if (receiving?.take(chunk.length, taken) === false) throw new AppError('request_memory_full');
      taken += chunk.length;
      const fault = scanner.push(chunk);
      if (fault !== null) throw new AppError('invalid_json', { message: `The request body ${fault}.` });
    });
    return parsed(bytes);
  } finally {
    receiving?.giveBack(taken);
  }
}

function parsed(bytes: Buffer): JsonBody {
  if (bytes.length === 0)
    throw new AppError('invalid_json', { message: 'The request body is empty; send a JSON object.' });
  if (!isUtf8(bytes)) throw new AppError('invalid_json', { message: 'The request body is not valid UTF-8.' });
  const text = bytes.toString('utf8');
  return { value: parse(text), text };
}

function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';', 8)
    .map((part) => part.trim());
  const isJson = type === 'application/json' || (type.startsWith('application/') && type.endsWith('+json'));
  if (!isJson) throw new AppError('unsupported_media_type', { param: 'Content-Type' });
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw new AppError('unsupported_media_type', {
      param: 'Content-Type',
      message: 'The request body must be JSON encoded as UTF-8.',
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    throw new AppError('invalid_json', { message: `The request body is not valid JSON${placeOf(String(fault))}.` });
  }
}

/** Only the place is taken from V8's message: the rest quotes the body, which may hold a prompt. */
function placeOf(message: string): string {
  if (message.includes('end of JSON input')) return ': it ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: near character ${position}`;
}
