/** `GET /api/v1/events`: what changes, as it changes, for the WebUI and `soai task watch`. */
import type { Identities } from '../auth/identities';
import type { Identity } from '../auth/identity';
import { permits } from '../auth/permissions';
import type { LiveEvent } from '../contract/management';
import type { ApiDeps } from '../deps';
import { queueView } from '../management/queue';
import { type Route, route } from '../management/route';
import { openStream } from './open-stream';

export function eventRoutes(deps: ApiDeps, identities: Identities): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/events',
      permission: 'EVENTS_READ',
      summary: 'Live events (SSE)',
      description:
        'First the health and the queue as they are, then every change: `health`, `queue`, `task` and, for administrators, `plugin` and `download`. Others see the tasks of their own account.',
      produces: 'text/event-stream',
      handler({ ctx, identity }) {
        let unsubscribe = (): void => undefined;
        const stream = openStream(ctx, { deps, identities, identity }, () => unsubscribe());
        unsubscribe = deps.live.subscribe((event) => {
          if (mayAccountSee(identity, event)) stream.send(event);
        });
        stream.send({ type: 'health', health: deps.health() });
        stream.send({ type: 'queue', queue: queueView(deps.dispatcher.snapshot(), deps.now()) });
      },
    }),
  ];
}

function mayAccountSee({ account }: Identity, event: LiveEvent): boolean {
  if (event.type === 'task') return event.task.account === account.name || permits(account, 'ALL_ACCOUNTS');
  if (event.type === 'download') return permits(account, 'MODELS_ADMIN');
  if (event.type === 'plugin') return permits(account, 'PLUGINS_READ');
  return true;
}
