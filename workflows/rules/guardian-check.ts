/**
 * One look at a plugin (spec F1): what its states already tell, and whether to ask it. Only idle
 * plugins are asked: a busy backend may answer late without being ill, and its work tells more.
 */
import type { Ailment } from './guardian';

export interface PluginSight {
  /** Null: it runs elsewhere, so only its answers tell. */
  readonly backend: 'stopped' | 'starting' | 'running' | 'stopping' | 'error' | null;
  /** Since when the backend has been in that state. */
  readonly backendSince: number;
  /** When each running call last gave a sign of life: its start, a byte, an event. */
  readonly progressAt: readonly number[];
}

export interface CheckSettings {
  readonly transitionalTimeoutMs: number;
  /** How long a running call may be silent; longer than its own deadlines, which should have ended it. */
  readonly stalledMs: number;
}

export type CheckDecision =
  | { readonly kind: 'ailing'; readonly ailment: Ailment }
  /** Busy, in transition and not for too long, or not up: nothing can be learnt now. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'ping' };

export function look(sight: PluginSight, settings: CheckSettings, now: number): CheckDecision {
  const { backend, backendSince, progressAt } = sight;
  if (backend === 'error') return { kind: 'ailing', ailment: 'backend_error' };
  if (backend === 'starting' || backend === 'stopping') {
    const stuck = now - backendSince >= settings.transitionalTimeoutMs;
    return stuck ? { kind: 'ailing', ailment: 'stuck_transition' } : { kind: 'leave' };
  }
  if (backend === 'stopped') return { kind: 'leave' };
  if (progressAt.length === 0) return { kind: 'ping' };
  // As long as one call moves the backend is alive; the others' own deadlines see to them.
  const stalled = now - Math.max(...progressAt) >= settings.stalledMs;
  return stalled ? { kind: 'ailing', ailment: 'work_stalled' } : { kind: 'leave' };
}

/** F1: when to look again; `random` in [0, 1) spreads the plugins over time, by a fifth either way. */
export function untilNextCheck(intervalMs: number, random: number): number {
  return Math.round(intervalMs * (0.8 + 0.4 * random));
}
