/** Gives a response to a stream of events, which ends with the client, the session, or the server. */
import type { Identities } from '../auth/identities';
import type { Identity } from '../auth/identity';
import type { ApiDeps } from '../deps';
import type { Context } from '../state';
import { EventStream } from './event-stream';

/** How long a stream may outlive the session or key that opened it (S22: 5 s). */
const RECHECK_MS = 2_000;

interface Opener {
  readonly deps: Pick<ApiDeps, 'stopping'>;
  readonly identities: Identities;
  readonly identity: Identity;
}

export function openStream(ctx: Context, { deps, identities, identity }: Opener, onClose: () => void): EventStream {
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
    onClose();
    deps.stopping.removeEventListener('abort', finish);
  });
  deps.stopping.addEventListener('abort', finish, { once: true });
  ctx.status = 200;
  ctx.body = stream;
  ctx.set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  // A HEAD request, or one whose client has left already, never reads the body.
  if (ctx.res.closed) stream.destroy();
  else ctx.res.once('close', () => stream.destroy());
  // What was sent before still goes out.
  if (deps.stopping.aborted) setImmediate(finish);
  return stream;
}
