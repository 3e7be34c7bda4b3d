/**
 * How many retries a plugin may be running at once (spec K): a fifth of what it is running, but at
 * least three. One that is over the budget waits in the queue for its turn; it is never refused.
 */
const SHARE = 5;
const AT_LEAST = 3;

export interface PluginInFlight {
  /** Calls running at the plugin, retries included. */
  readonly running: number;
  readonly retries: number;
}

export function mayRetryNow({ running, retries }: PluginInFlight): boolean {
  return retries < Math.max(AT_LEAST, Math.floor(running / SHARE));
}
