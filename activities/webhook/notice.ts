/** What is worth telling an operator who is not looking (spec E, F3, F6). Pure. */
import { createHash } from 'node:crypto';
import type { CircuitView } from '../circuits';
import type { Quarantine } from '../hosted-plugin';

/** The body of a notice, as the receiver gets it. */
export interface Notice {
  /** The same for every telling of one occurrence, whichever process tells it. */
  readonly id: string;
  readonly type: 'plugin.quarantined' | 'circuit.opened';
  readonly plugin: string;
  readonly state: 'quarantined' | 'integrity' | 'open';
  /** For a person; never holds a secret. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** `before`: the state known until now. Null: nothing to tell. */
export function noticeOfQuarantine(
  plugin: string,
  before: Quarantine['state'],
  { state, reason, since }: Quarantine,
  now: number,
): Notice | null {
  if (state === 'none' || state === before) return null;
  return notice('plugin.quarantined', plugin, state, reason ?? 'no reason was recorded', since ?? now);
}

export function noticeOfCircuit(
  plugin: string,
  before: CircuitView['state'],
  { state, failureCount, lastFailureAt }: CircuitView,
  now: number,
): Notice | null {
  if (state !== 'open' || before === 'open') return null;
  const reason =
    before === 'half_open'
      ? 'its probe failed: the plugin has not come back'
      : `${failureCount} ${failureCount === 1 ? 'failure' : 'failures'} counted: requests to it are blocked`;
  return notice('circuit.opened', plugin, state, reason, lastFailureAt ?? now);
}

function notice(type: Notice['type'], plugin: string, state: Notice['state'], reason: string, at: number): Notice {
  const id = createHash('sha256')
    .update(JSON.stringify([type, plugin, at]))
    .digest('hex')
    .slice(0, 32);
  return { id, type, plugin, state, reason, at };
}
