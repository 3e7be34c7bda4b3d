/**
 * The dispatch circuit of one plugin (spec E1-E5, K): counts failed requests, opens, lets one probe
 * through once its cooldown is over, and believes nothing but that probe.
 *
 * | state     | failure                        | success                 | permit            | time                                  |
 * |-----------|--------------------------------|-------------------------|-------------------|---------------------------------------|
 * | closed    | counts; the threshold-th opens | forgets what was before | closed            | failures leave the window             |
 * | open      | restarts the cooldown          | nothing (a late one)    | refused           | half-open, a cooldown after the last  |
 * | half_open | of the probe: opens            | of the probe: closes    | probe, else refused | the probe's deadline: opens         |
 *
 * Events carry the time they happened at. Time that has passed meanwhile is applied first, so a state
 * needs no timer to be right; `nextChangeAt` says when looking again is worth it.
 */

export interface BreakerSettings {
  /** E2: failures older than this no longer count. */
  readonly windowMs: number;
  readonly threshold: number;
  /** E3: from the last failure until half-open. */
  readonly recoveryMs: number;
  /** K: from a probe's permit until it counts as failed. */
  readonly probeMs: number;
}

export type BreakerPhase = 'closed' | 'open' | 'half_open';

export interface BreakerState {
  readonly phase: BreakerPhase;
  /** When the failures that count happened, oldest first; no more than it takes to open. */
  readonly failures: readonly number[];
  readonly lastFailureAt: number | null;
  /** Failures up to then are forgiven: a report that was under way can't bring them back. */
  readonly clearedAt: number;
  /** Half-open: the one token that is out. */
  readonly probe: { readonly token: string; readonly deadlineAt: number } | null;
}

/** `token`: that of the probe which ended so, or null. */
export type BreakerEvent =
  | { readonly type: 'failure'; readonly at: number; readonly token: string | null; readonly cause: string }
  | { readonly type: 'success'; readonly at: number; readonly token: string | null }
  | { readonly type: 'neutral'; readonly at: number; readonly token: string | null }
  | { readonly type: 'permit'; readonly at: number; readonly token: string }
  /** The probe has its first byte: its own request's deadline bounds it from here on. */
  | { readonly type: 'answering'; readonly at: number; readonly token: string; readonly until: number }
  /** F3: the Guardian gave up on the plugin. */
  | { readonly type: 'trip'; readonly at: number; readonly cause: string }
  /** E5 and E4. */
  | { readonly type: 'reset'; readonly at: number; readonly cause: string };

export interface Transition {
  readonly from: BreakerPhase;
  readonly to: BreakerPhase;
  readonly at: number;
  readonly cause: string;
}

export interface BreakerStep {
  readonly state: BreakerState;
  readonly transitions: readonly Transition[];
}

export const CLOSED_BREAKER: BreakerState = {
  phase: 'closed',
  failures: [],
  lastFailureAt: null,
  clearedAt: 0,
  probe: null,
};

export function stepBreaker(state: BreakerState, event: BreakerEvent, settings: BreakerSettings): BreakerStep {
  const passed = passTime(state, event.at, settings);
  const next = apply(passed.state, event, settings);
  const cause = 'cause' in event ? event.cause : event.type;
  return { state: next, transitions: [...passed.transitions, ...transition(passed.state, next, event.at, cause)] };
}

/** What time alone has done by `now`. */
export function passTime(state: BreakerState, now: number, settings: BreakerSettings): BreakerStep {
  let current = state;
  const transitions: Transition[] = [];
  for (let at = changesAt(current, settings); at !== null && at <= now; at = changesAt(current, settings)) {
    const probe = current.probe;
    const next: BreakerState = probe
      ? open(current, probe.deadlineAt, settings)
      : { ...current, phase: 'half_open', probe: null };
    transitions.push({ from: current.phase, to: next.phase, at, cause: probe ? 'probe_timeout' : 'recovery_timeout' });
    current = next;
  }
  const failures = inWindow(current, now, settings);
  return { state: failures.length === current.failures.length ? current : { ...current, failures }, transitions };
}

/** When time alone changes the phase next, or null. */
export function nextChangeAt(state: BreakerState, settings: BreakerSettings): number | null {
  return changesAt(state, settings);
}

/** When an open circuit admits its probe; null unless it is open. */
export function retryAt(state: BreakerState, settings: BreakerSettings): number | null {
  return state.phase === 'open' ? (state.lastFailureAt ?? 0) + settings.recoveryMs : null;
}

/** A success is worth a report only then: it would change something. */
export function successMatters(state: BreakerState): boolean {
  return state.phase !== 'closed' || state.failures.length > 0;
}

function changesAt(state: BreakerState, settings: BreakerSettings): number | null {
  return state.phase === 'half_open' ? (state.probe?.deadlineAt ?? null) : retryAt(state, settings);
}

function apply(state: BreakerState, event: BreakerEvent, settings: BreakerSettings): BreakerState {
  switch (event.type) {
    case 'failure':
      return fail(state, event.at, event.token, settings);
    case 'success':
      return succeed(state, event.at, event.token);
    case 'neutral':
      return holds(state, event.token) ? { ...state, probe: null } : state;
    case 'permit':
      return state.phase === 'half_open' && state.probe === null
        ? { ...state, probe: { token: event.token, deadlineAt: event.at + settings.probeMs } }
        : state;
    case 'answering':
      return holds(state, event.token)
        ? { ...state, probe: { token: event.token, deadlineAt: Math.max(event.until, state.probe!.deadlineAt) } }
        : state;
    case 'trip':
      return open(state, event.at, settings);
    case 'reset':
      return { ...CLOSED_BREAKER, clearedAt: Math.max(state.clearedAt, event.at) };
  }
}

function fail(state: BreakerState, at: number, token: string | null, settings: BreakerSettings): BreakerState {
  if (state.phase === 'half_open') return holds(state, token) ? open(state, at, settings) : state;
  // A spent token's result comes too late to mean anything; what began before a reset or a success is forgiven.
  if (token !== null || at <= state.clearedAt) return state;
  if (state.phase === 'open') return open(state, Math.max(at, state.lastFailureAt ?? at), settings);
  const failures = insert(state.failures, at);
  const latest = failures.at(-1)!;
  const counting = { ...state, failures, lastFailureAt: latest };
  const kept = inWindow(counting, latest, settings);
  return kept.length >= settings.threshold
    ? { ...counting, phase: 'open', failures: kept.slice(-settings.threshold) }
    : { ...counting, failures: kept };
}

function succeed(state: BreakerState, at: number, token: string | null): BreakerState {
  const clearedAt = Math.max(state.clearedAt, at);
  if (state.phase === 'half_open') return holds(state, token) ? { ...CLOSED_BREAKER, clearedAt } : state;
  if (state.phase === 'open' || token !== null) return state;
  const failures = state.failures.filter((each) => each > at);
  return { ...state, failures, lastFailureAt: failures.at(-1) ?? null, clearedAt };
}

function open(state: BreakerState, at: number, settings: BreakerSettings): BreakerState {
  const failures = insert(state.failures, at).slice(-settings.threshold);
  return { ...state, phase: 'open', failures, lastFailureAt: at, probe: null };
}

function holds(state: BreakerState, token: string | null): boolean {
  return token !== null && state.phase === 'half_open' && state.probe?.token === token;
}

function inWindow(state: BreakerState, now: number, { windowMs }: BreakerSettings): readonly number[] {
  // Once it is open the count tells why it opened.
  return state.phase === 'closed' ? state.failures.filter((at) => at > now - windowMs) : state.failures;
}

function insert(times: readonly number[], at: number): readonly number[] {
  return [...times, at].sort((a, b) => a - b);
}

function transition(before: BreakerState, after: BreakerState, at: number, cause: string): Transition[] {
  return before.phase === after.phase ? [] : [{ from: before.phase, to: after.phase, at, cause }];
}
