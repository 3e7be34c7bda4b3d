/** Puts declared routes on a router: permission, input, handler, output, in that order. */
import Router from '@koa/router';
import { OPEN, permits } from '../auth/permissions';
import type { Identity } from '../auth/identity';
import { AppError } from '../errors/app-error';
import { readJsonBody } from '../middleware/json-body';
import type { Context, RequestState } from '../state';
import type { Access, Route } from './route';
import { validate } from './validate';

export const MANAGEMENT_PREFIX = '/api/v1';

export function managementRouter(routes: readonly Route[], maxBodyBytes: number): Router<RequestState> {
  const router: Router<RequestState> = new Router<RequestState>({ prefix: MANAGEMENT_PREFIX, sensitive: true });
  for (const declared of routes) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [declared.method], (ctx) => run(declared, ctx, ctx.params, maxBodyBytes));
  }
  return router;
}

async function run(declared: Route, ctx: Context, params: Record<string, string>, maxBodyBytes: number): Promise<void> {
  const identity = permitted(ctx.state.identity, declared.permission);
  const query = declared.query ? validate(declared.query, { ...ctx.query }) : undefined;
  const body = declared.request ? validate(declared.request, (await readJsonBody(ctx, maxBodyBytes)).value) : undefined;
  const result = await declared.handler({ ctx, identity, params, query, body });
  if (declared.produces !== undefined) return;
  ctx.status = declared.status ?? 200;
  if (ctx.status === 204) return;
  ctx.body = JSON.stringify(result);
  ctx.type = 'application/json; charset=utf-8';
}

function permitted(identity: Identity | null, access: Access): Identity | null {
  if (access === OPEN) return identity;
  if (!identity) throw new AppError('not_signed_in');
  if (!permits(identity.account, access)) throw new AppError('insufficient_permissions');
  return identity;
}
