/**
 * Turns whatever is thrown into an answer. Nothing else writes error bodies: Koa's own handler is
 * replaced by the same code, for failures of a body that is being streamed.
 */
import type { Logger } from 'pino';
import type { AppError } from '../errors/app-error';
import { asAppError } from '../errors/from-thrown';
import { anthropicEnvelope, errorHeaders, managementEnvelope, openAiEnvelope } from '../errors/render';
import type { Context, Middleware } from '../state';
import { answerThenDrain } from './linger';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers that describe the answer that is not given any more. */
const OF_THE_ANSWER = ['content-encoding', 'content-disposition', 'etag', 'last-modified', 'set-cookie'];

export function errorBoundary(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const json = refuse(ctx, thrown, log);
      if (json === null) ctx.res.destroy();
      else giveBody(ctx, json);
    }
  };
}

/** For Koa's `app.context.onerror`: the body could not be written, or broke off while it was. */
export function onStreamError(ctx: Context, thrown: unknown, log: Logger): void {
  if (thrown === null || thrown === undefined) return;
  if (!ctx.headerSent) ctx.remove('content-length');
  const json = ctx.writable ? refuse(ctx, thrown, log) : null;
  if (json === null) ctx.res.destroy();
  else ctx.res.end(json);
}

/** Sets status and headers and returns the body; null: it is too late for an answer, or nobody waits for one. */
function refuse(ctx: Context, thrown: unknown, log: Logger): string | null {
  const error = asAppError(thrown);
  ctx.state.logFields['code'] = error.code;
  if (clientLeft(ctx, error)) return null;
  // A cause is never for the client: a fault of ours, or a database that did not answer.
  if (error.cause !== undefined) {
    log.error({ err: error.cause, code: error.code, request_id: ctx.state.requestId }, error.message);
  }
  if (ctx.headerSent) return null;
  for (const name of OF_THE_ANSWER) ctx.remove(name);
  ctx.status = error.status;
  ctx.set(errorHeaders(error));
  ctx.set('content-type', JSON_TYPE);
  return JSON.stringify(envelope(ctx, error));
}

function envelope(ctx: Context, error: AppError): unknown {
  if (ctx.path === '/v1/messages' || ctx.path.startsWith('/v1/messages/')) {
    return anthropicEnvelope(error, ctx.state.requestId);
  }
  const openAi = ctx.path === '/v1' || ctx.path.startsWith('/v1/');
  return openAi ? openAiEnvelope(error) : managementEnvelope(error, ctx.state.requestId);
}

function giveBody(ctx: Context, json: string): void {
  if (ctx.req.complete) {
    ctx.body = json;
  } else {
    // Part of the request is still on its way: the connection can't be used again.
    ctx.body = answerThenDrain(json, ctx.req);
    ctx.set('connection', 'close');
    ctx.length = Buffer.byteLength(json);
  }
  ctx.set('content-type', JSON_TYPE);
}

function clientLeft(ctx: Context, error: AppError): boolean {
  return error.code === 'client_disconnected' || (ctx.req.destroyed && !ctx.req.complete);
}
