/** The OpenAI-compatible routes, below /v1; `app.ts` has checked the permission and read the body. */
import type Router from '@koa/router';
import type { Runtime } from '../../activities/runtime';
import { seconds } from '../../activities/timings';
import type { Settings } from '../../config/schema';
import type { RequestState } from '../state';
import { responsesRoutes } from './responses/routes';
import { StoredResponses } from './responses/stored-responses';
import { infer, type InferenceDeps, type InferenceRoute } from './infer';
import { createMessage } from './messages/create';
import { getModel, listModels } from './models';
import { chatRequest, completionRequest, embeddingRequest } from './requests';

const ROUTES: readonly (InferenceRoute & { readonly path: string })[] = [
  { path: '/chat/completions', operation: 'chat', schema: chatRequest },
  { path: '/completions', operation: 'completions', schema: completionRequest },
  { path: '/embeddings', operation: 'embeddings', schema: embeddingRequest },
];

export function openAiRoutes(runtime: Runtime, settings: Settings): (router: Router<RequestState>) => void {
  const { dispatcher, catalogue, plugins, circuits, router: requestRouter } = runtime;
  const deps: InferenceDeps = {
    dispatcher,
    catalogue,
    plugins,
    circuits,
    router: requestRouter,
    keepAliveMs: seconds(settings.SERVER.KEEP_ALIVE_COMMENT_SEC),
    idempotencyTtlMs: seconds(settings.MODELS.ROUTING.IDEMPOTENCY_TTL_SEC),
  };
  return (router) => {
    for (const route of ROUTES) router.post(route.path, (ctx) => infer(ctx, route, deps));
    const { store, feed, responseLogs: logs, log } = runtime;
    const maxBodyBytes = settings.SERVER.MAX_BODY_BYTES;
    const responses = new StoredResponses(store);
    responsesRoutes(router, { ...deps, store, feed, logs, log, responses, maxBodyBytes });
    router.post('/messages', (ctx) => createMessage(ctx, deps));
    router.get('/models', (ctx) => {
      ctx.body = listModels(catalogue, plugins, ctx.state.identity!.account);
    });
    // Names may hold slashes and spaces, sent raw or encoded; the router has decoded them.
    router.get('/models/*name', (ctx) => {
      ctx.body = getModel(catalogue, plugins, ctx.state.identity!.account, String(ctx.params.name));
    });
  };
}
