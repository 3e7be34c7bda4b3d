/** The end of the line: an address that exists with other methods (405), or not at all (404). Never HTML. */
import type Router from '@koa/router';
import { AppError } from '../errors/app-error';
import type { Middleware, RequestState } from '../state';

export function nothingHere(...routers: readonly Router<RequestState>[]): Middleware {
  return (ctx) => {
    const matching = routers.flatMap((router) => router.match(ctx.path, ctx.method).path);
    const allow = [...new Set(matching.flatMap((layer) => layer.methods))].sort();
    if (allow.length > 0) throw new AppError('method_not_allowed', { allow });
    throw new AppError('unknown_url');
  };
}
