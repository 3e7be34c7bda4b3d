/** The management routes as data, without a server behind them. */
import { Identities } from '../auth/identities';
import type { ApiDeps } from '../deps';
import { managementRoutes } from '../management/routes';
import type { Route } from '../management/route';

export function documentedRoutes(): readonly Route[] {
  // Declaring a route touches nothing of what its handler will need.
  const store = {} as ApiDeps['store'];
  const deps = { store, now: () => 0 } as ApiDeps;
  return managementRoutes(deps, new Identities({ store, operatorToken: '', now: deps.now, onError: () => undefined }));
}
