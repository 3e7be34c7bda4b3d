/** Every route of the management API. */
import type { Identities } from '../auth/identities';
import type { ApiDeps } from '../deps';
import { eventRoutes } from '../events/routes';
import { AccountNames } from './account-names';
import { wholeDocument } from '../reference/whole-document';
import { keyRoutes } from './keys';
import { modelFileRoutes } from './model-files';
import { modelRoutes } from './models';
import { logRoutes } from './logs';
import { pluginHealthRoutes } from './plugin-health';
import { pluginPackageRoutes } from './plugin-packages';
import { pluginRoutes } from './plugins';
import { queueRoutes } from './queue';
import { type Route, route } from './route';
import { sessionRoutes } from './sessions';
import { systemRoutes } from './system';
import { TaskViews } from './task-view';
import { taskRoutes } from './tasks';
import { usageRoutes } from './usage';
import { virtualModelRoutes } from './virtual-models';

export function managementRoutes(deps: ApiDeps, identities: Identities): readonly Route[] {
  const names = new AccountNames(deps.store.accounts);
  const routes: Route[] = [
    ...systemRoutes(deps),
    ...sessionRoutes(deps, identities),
    ...keyRoutes(deps, identities, names),
    ...taskRoutes(deps, new TaskViews(names, deps.dispatcher, deps.engine)),
    ...queueRoutes(deps),
    ...usageRoutes(deps, names),
    ...modelRoutes(deps),
    ...modelFileRoutes(deps),
    ...virtualModelRoutes(deps),
    ...pluginRoutes(deps),
    ...pluginPackageRoutes(deps),
    ...pluginHealthRoutes(deps),
    ...eventRoutes(deps, identities),
    ...logRoutes(deps, identities),
  ];
  let document: string | null = null;
  routes.push(
    route({
      method: 'GET',
      path: '/openapi.json',
      permission: 'API_REFERENCE_READ',
      summary: 'Both APIs as an OpenAPI 3.1 document',
      produces: 'application/json',
      handler({ ctx }) {
        document ??= JSON.stringify(wholeDocument(routes, deps.version));
        ctx.body = document;
        ctx.type = 'application/json; charset=utf-8';
      },
    }),
  );
  return routes;
}
