/** The routes of the Responses API, below /v1. */
import type Router from '@koa/router';
import type { Context, RequestState } from '../../state';
import { validate } from '../validate';
import { createResponse } from './create';
import type { ResponsesDeps } from './deps';
import { cancelResponse, deleteResponse } from './end-response';
import { itemPage } from './item-page';
import { inputItemsQuery } from './queries';
import { retrieveResponse } from './retrieve';

export function responsesRoutes(router: Router<RequestState>, deps: ResponsesDeps): void {
  router.post('/responses', (ctx) => createResponse(ctx, deps));
  router.get('/responses/:id', (ctx) => retrieveResponse(ctx, deps, idOf(ctx)));
  router.delete('/responses/:id', async (ctx) => {
    ctx.body = await deleteResponse(ctx, deps, idOf(ctx));
  });
  router.post('/responses/:id/cancel', async (ctx) => {
    ctx.body = await cancelResponse(ctx, deps, idOf(ctx));
  });
  router.get('/responses/:id/input_items', async (ctx) => {
    const query = validate(inputItemsQuery, { ...ctx.query });
    const found = await deps.responses.find(ctx.state.identity!.account.id, idOf(ctx));
    ctx.body = itemPage(await deps.responses.inputItems(found), query);
  });
}

function idOf(ctx: Context & { params: Record<string, string> }): string {
  return ctx.params['id'] ?? '';
}
