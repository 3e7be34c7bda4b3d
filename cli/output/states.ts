/** Colours of states; the word itself always says the same. */
import type { Colour } from './printer';

const COLOURS: Readonly<Record<string, Colour>> = {
  ok: 'green',
  completed: 'green',
  running: 'green',
  closed: 'green',
  pass: 'green',
  queued: 'yellow',
  deferred: 'yellow',
  degraded: 'yellow',
  half_open: 'yellow',
  starting: 'yellow',
  stopping: 'yellow',
  warn: 'yellow',
  failed: 'red',
  error: 'red',
  open: 'red',
  quarantined: 'red',
  integrity: 'red',
  incompatible: 'red',
  down: 'red',
  fail: 'red',
  cancelled: 'dim',
  stopped: 'dim',
  none: 'dim',
  skip: 'dim',
};

export function colourOf(state: string): Colour | null {
  return COLOURS[state.trim()] ?? null;
}
