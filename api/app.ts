/** The Koa application. The order of the middleware is the order of the sentences below. */
import Router from '@koa/router';
import Koa from 'koa';
import { Identities } from './auth/identities';
import { identify, requirePermission } from './auth/identify';
import type { ApiDeps } from './deps';
import { serveDocsPage } from './docs-page';
import { managementRouter } from './management/mount';
import { managementRoutes } from './management/routes';
import { accessLog } from './middleware/access-log';
import { clientOrigin } from './middleware/client-origin';
import { errorBoundary, onStreamError } from './middleware/error-boundary';
import { BodyBudget } from '../activities/body-budget';
import { jsonBody } from './middleware/json-body';
import { nothingHere } from './middleware/nothing-here';
import { requestId } from './middleware/request-id';
import { securityHeaders } from './middleware/security-headers';
import type { Context, Middleware, RequestState } from './state';
import { serveWebUi } from './static';

export const OPENAI_PREFIX = '/v1';

/** POSTs that ask for nothing but what their address says. */
const WITHOUT_BODY = /^\/v1\/responses\/[^/]+\/cancel$/;

/** @param openAiRoutes registers on a router below /v1; `ctx.state` has the identity, POSTs the JSON body */
export function createApp(deps: ApiDeps, openAiRoutes: (router: Router<RequestState>) => void): Koa<RequestState> {
  const { settings, log } = deps;
  const identities = new Identities({
    store: deps.store,
    operatorToken: deps.operatorToken,
    now: deps.now,
    onError: (err) => log.warn({ err }, 'the last use of some keys was not noted'),
  });
  deps.stopping.addEventListener('abort', () => void identities.lastUsed.flush(), { once: true });
  const receiving = new BodyBudget(deps.models.routing.MAX_REQUEST_BYTES_IN_MEMORY);
  const openAi = openAiRouter(jsonBody(settings.SERVER.MAX_BODY_BYTES, receiving), openAiRoutes);
  const management = managementRouter(managementRoutes(deps, identities), settings.SERVER.MAX_BODY_BYTES);

  const app = new Koa<RequestState>();
  app.context.onerror = function (this: Context, thrown: unknown) {
    onStreamError(this, thrown, log);
  };
  app.use(requestId());
  app.use(clientOrigin(settings.SERVER.TRUSTED_PROXIES));
  app.use(errorBoundary(log));
  app.use(accessLog(log));
  app.use(securityHeaders());
  app.use(serveDocsPage());
  app.use(serveWebUi(deps.webRoot));
  app.use(identify(identities));
  app.use(openAi.routes());
  app.use(management.routes());
  app.use(nothingHere(openAi, management));
  return app;
}

function openAiRouter(readBody: Middleware, register: (router: Router<RequestState>) => void): Router<RequestState> {
  const router: Router<RequestState> = new Router<RequestState>({ prefix: OPENAI_PREFIX, sensitive: true });
  router.use(requirePermission('INFERENCE'));
  router.use((ctx: Context, next: Koa.Next) =>
    ctx.method === 'POST' && !WITHOUT_BODY.test(ctx.path) ? readBody(ctx, next) : next(),
  );
  register(router);
  return router;
}
