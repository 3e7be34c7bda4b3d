import { UpstreamFailure } from '../adapter';
import type { Backend, Lifecycle } from './lifecycle';

/**
 * The health of a backend that starts on demand. One that is not up has nothing to be asked, and a
 * ping starts nothing: stopped and changing ones pass (the guardian watches the latter's age),
 * one that failed or ended on its own does not.
 */
export async function pingLocal<B extends Backend>(
  life: Lifecycle<B>,
  ask: (backend: B) => Promise<void>,
): Promise<void> {
  const { running, backend } = life;
  if (running !== null) await ask(running);
  else if (backend.state === 'error') {
    throw new UpstreamFailure('transport', backend.detail ?? 'The backend is not running.');
  }
}
