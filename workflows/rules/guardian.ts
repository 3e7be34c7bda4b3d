/**
 * The Plugin Guardian's judgement of one plugin (spec F1-F4): what each finding means, when to
 * recover, when to give up. Recovery attempts are counted in a row; the one after
 * `maxRecoveryAttempts` is not made: the plugin is stopped, its circuit tripped, and it is quarantined.
 */

export interface GuardianSettings {
  readonly flappingWindowMs: number;
  readonly flappingMinTransitions: number;
  readonly maxRecoveryAttempts: number;
  /** Wait before the first recovery in a row; it doubles with each further one, up to `maxRestartDelayMs`. */
  readonly restartDelayMs: number;
  readonly maxRestartDelayMs: number;
}

export type Health = 'unknown' | 'healthy' | 'unhealthy';

export interface GuardianState {
  readonly health: Health;
  /** Recovery attempts in a row. */
  readonly attempts: number;
  /** When health changed, inside the flapping window. */
  readonly transitions: readonly number[];
  readonly flapping: boolean;
  readonly quarantined: boolean;
  readonly lastPingAt: number | null;
}

/** Why a plugin is not well; each is a code of the lifecycle log. */
export type Ailment = 'ping_failed' | 'backend_error' | 'stuck_transition' | 'work_stalled';

export type GuardianEvent =
  | { readonly type: 'healthy'; readonly at: number }
  | { readonly type: 'unhealthy'; readonly at: number; readonly ailment: Ailment }
  /** F3: clears the count of recoveries, and nothing else. */
  | { readonly type: 'circuit_reset'; readonly at: number }
  /** Put there by an integrity check or by an operator, not by this rule. */
  | { readonly type: 'quarantined'; readonly at: number }
  | { readonly type: 'quarantine_cleared'; readonly at: number };

export type GuardianEffect =
  | { readonly kind: 'recover'; readonly attempt: number; readonly delayMs: number; readonly ailment: Ailment }
  | { readonly kind: 'escalate'; readonly attempts: number; readonly ailment: Ailment };

/** A change worth a row in the lifecycle log. */
export interface GuardianNote {
  readonly what: 'healthy' | 'unhealthy' | 'flapping' | 'steady' | 'recovering' | 'quarantined' | 'quarantine_cleared';
  readonly at: number;
  readonly cause: string;
}

export interface GuardianStep {
  readonly state: GuardianState;
  readonly effects: readonly GuardianEffect[];
  readonly notes: readonly GuardianNote[];
}

export const NEW_GUARDIAN: GuardianState = {
  health: 'unknown',
  attempts: 0,
  transitions: [],
  flapping: false,
  quarantined: false,
  lastPingAt: null,
};

export function stepGuardian(before: GuardianState, event: GuardianEvent, settings: GuardianSettings): GuardianStep {
  const state = settle(before, event.at, settings);
  const notes = flappingNotes(before, state, event.at);
  const step = apply(state, event, settings);
  return { ...step, notes: [...notes, ...step.notes, ...flappingNotes(state, step.state, event.at)] };
}

/** When a flag raised for flapping comes down if nothing happens; null: none is raised. */
export function steadyAt(state: GuardianState, settings: GuardianSettings): number | null {
  return state.flapping ? state.transitions.at(-1)! + settings.flappingWindowMs : null;
}

/** F2: the flag comes down after a whole window without a change, so that it is raised once an episode. */
export function settle(state: GuardianState, now: number, settings: GuardianSettings): GuardianState {
  const transitions = state.transitions.filter((at) => at > now - settings.flappingWindowMs);
  if (transitions.length === state.transitions.length) return state;
  return { ...state, transitions, flapping: state.flapping && transitions.length > 0 };
}

function apply(state: GuardianState, event: GuardianEvent, settings: GuardianSettings): GuardianStep {
  const { at } = event;
  switch (event.type) {
    case 'healthy': {
      const recovered = turned(state, 'healthy', at, settings);
      return only({ ...recovered, attempts: 0, lastPingAt: at }, noteOfHealth(state, recovered, at, 'ping'));
    }
    case 'unhealthy':
      return state.quarantined ? only(state) : ail(state, event.ailment, at, settings);
    case 'circuit_reset':
      return only({ ...state, attempts: 0 });
    case 'quarantined':
      return only({ ...state, quarantined: true });
    case 'quarantine_cleared':
      return only(
        { ...state, quarantined: false, attempts: 0, health: 'unknown' },
        state.quarantined ? [{ what: 'quarantine_cleared', at, cause: 'operator' }] : [],
      );
  }
}

function ail(before: GuardianState, ailment: Ailment, at: number, settings: GuardianSettings): GuardianStep {
  const state = turned(before, 'unhealthy', at, settings);
  const notes = noteOfHealth(before, state, at, ailment);
  const attempt = state.attempts + 1;
  if (attempt > settings.maxRecoveryAttempts) {
    return {
      state: { ...state, quarantined: true },
      effects: [{ kind: 'escalate', attempts: state.attempts, ailment }],
      notes: [...notes, { what: 'quarantined', at, cause: ailment }],
    };
  }
  return {
    state: { ...state, attempts: attempt },
    effects: [{ kind: 'recover', attempt, delayMs: delayBefore(attempt, state.flapping, settings), ailment }],
    notes: [...notes, { what: 'recovering', at, cause: ailment }],
  };
}

function delayBefore(attempt: number, flapping: boolean, settings: GuardianSettings): number {
  const delay = Math.min(settings.restartDelayMs * 2 ** (attempt - 1), settings.maxRestartDelayMs);
  return flapping ? delay * 2 : delay;
}

/** F2: going from well to ill or back is a state change; learning the first state is none. */
function turned(state: GuardianState, health: Health, at: number, settings: GuardianSettings): GuardianState {
  if (state.health === health) return state;
  if (state.health === 'unknown') return { ...state, health };
  const transitions = [...state.transitions, at];
  const flapping = state.flapping || transitions.length >= settings.flappingMinTransitions;
  return { ...state, health, transitions, flapping };
}

function noteOfHealth(before: GuardianState, after: GuardianState, at: number, cause: string): GuardianNote[] {
  if (before.health === after.health || after.health === 'unknown') return [];
  // Found well at the first look: nothing happened.
  if (before.health === 'unknown' && after.health === 'healthy') return [];
  return [{ what: after.health, at, cause }];
}

function flappingNotes(before: GuardianState, after: GuardianState, at: number): GuardianNote[] {
  if (before.flapping === after.flapping) return [];
  return after.flapping
    ? [{ what: 'flapping', at, cause: `${after.transitions.length} changes` }]
    : [{ what: 'steady', at, cause: 'no change in the window' }];
}

function only(state: GuardianState, notes: readonly GuardianNote[] = []): GuardianStep {
  return { state, effects: [], notes };
}
