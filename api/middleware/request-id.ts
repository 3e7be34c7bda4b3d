/** Gives every request its id; errors and streams carry it like any other answer (contract 2). */
import { randomUUID } from 'node:crypto';
import type { Middleware } from '../state';

const CLIENT_ID = /^[\x20-\x7e]{1,512}$/;

export function requestId(): Middleware {
  return async (ctx, next) => {
    ctx.state.requestId = `req_${randomUUID()}`;
    const sent = ctx.get('x-client-request-id');
    ctx.state.clientRequestId = CLIENT_ID.test(sent) ? sent : null;
    ctx.state.identity = null;
    ctx.state.logFields = {};
    ctx.set('x-request-id', ctx.state.requestId);
    await next();
  };
}
