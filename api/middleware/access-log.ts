/** One line a request, written when its connection is done with it. No query, body or key is in it. */
import type { Logger } from 'pino';
import type { Context, Middleware } from '../state';

/** What nginx calls "client closed request"; never sent, only logged. */
const CLIENT_CLOSED = 499;

export function accessLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => writeLine(log, ctx, performance.now() - startedAt));
    await next();
  };
}

function writeLine(log: Logger, ctx: Context, elapsedMs: number): void {
  const { requestId, clientRequestId, client, identity, logFields } = ctx.state;
  log.info(
    {
      request_id: requestId,
      client_request_id: clientRequestId ?? undefined,
      method: ctx.method,
      path: ctx.path,
      status: wasAnswered(ctx) ? ctx.res.statusCode : CLIENT_CLOSED,
      ms: Math.round(elapsedMs * 10) / 10,
      remote: client.address,
      account: identity?.account.name,
      via: identity?.via,
      task_id: ctx.res.getHeader('x-soai-task-id'),
      ...logFields,
    },
    'request',
  );
}

/** A refusal counts as given once it is written: its connection may linger until the client hangs up. */
function wasAnswered(ctx: Context): boolean {
  return ctx.res.writableFinished || (ctx.res.headersSent && 'code' in ctx.state.logFields);
}
