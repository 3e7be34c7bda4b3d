/** `GET /api/v1/events`: what changes, as it changes, for the WebUI and `soai task watch`. */
import type { Identities } from '../auth/identities';
import type { Identity } from '../auth/identity';
import { permits } from '../auth/permissions';
import type { LiveEvent } from '../contract/management';
import type { ApiDeps } from '../deps';
import { queueView } from '../management/queue';
import { type Route, route } from '../management/route';
import type { Context } from '../state';
import { EventStream } from './event-stream';

/** How long a stream may outlive the session or key that opened it (S22: 5 s). */
const RECHECK_MS = 2_000;

export function eventRoutes(deps: ApiDeps, identities: Identities): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/events',
      permission: 'EVENTS_READ',
      summary: 'Live events (SSE)',
      description:
        'First the health and the queue as they are, then every change: `health`, `queue`, `task` and, for administrators, `plugin`. Others see the tasks of their own account.',
      produces: 'text/event-stream',
      handler({ ctx, identity }) {
        const stream = open(deps, identities, identity);
        ctx.status = 200;
        ctx.body = stream;
        ctx.set({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-cache, no-transform',
          'x-accel-buffering': 'no',
        });
        endWithResponse(ctx, stream);
      },
    }),
  ];
}

function open(deps: ApiDeps, identities: Identities, identity: Identity): EventStream {
  const finish = (): void => stream.finish();
  const recheck = setInterval(() => {
    // A database that does not answer proves nothing about the session.
    identities.stillHolds(identity).then(
      (holds) => holds || finish(),
      () => undefined,
    );
  }, RECHECK_MS);
  const stream = new EventStream(() => {
    clearInterval(recheck);
    unsubscribe();
    deps.stopping.removeEventListener('abort', finish);
  });
  const unsubscribe = deps.live.subscribe((event) => {
    if (mayAccountSee(identity, event)) stream.send(event);
  });
  stream.send({ type: 'health', health: deps.health() });
  stream.send({ type: 'queue', queue: queueView(deps.dispatcher.snapshot(), deps.now()) });
  deps.stopping.addEventListener('abort', finish, { once: true });
  if (deps.stopping.aborted) finish();
  return stream;
}

/** A HEAD request, or one whose client has left already, never reads the body. */
function endWithResponse(ctx: Context, stream: EventStream): void {
  if (ctx.res.closed) stream.destroy();
  else ctx.res.once('close', () => stream.destroy());
}

function mayAccountSee({ account }: Identity, event: LiveEvent): boolean {
  if (event.type === 'task') return event.task.account === account.name || permits(account, 'ALL_ACCOUNTS');
  if (event.type === 'plugin') return permits(account, 'PLUGINS_READ');
  return true;
}
