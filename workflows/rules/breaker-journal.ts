/**
 * A breaker that several processes report to (spec E). Each numbers its events, so one that arrives
 * twice, after an answer was lost, counts once, and each can tell which of its own an answer includes.
 */
import {
  CLOSED_BREAKER,
  passTime,
  stepBreaker,
  type BreakerEvent,
  type BreakerSettings,
  type BreakerState,
  type Transition,
} from './breaker';

export interface BreakerJournal {
  readonly version: 1;
  /** Grows with each change. */
  readonly revision: number;
  readonly state: BreakerState;
  /** The last event taken from each process. */
  readonly applied: Readonly<Record<string, number>>;
}

export interface NumberedEvent {
  readonly number: number;
  readonly event: BreakerEvent;
}

export interface JournalStep {
  readonly journal: BreakerJournal;
  readonly transitions: readonly Transition[];
}

/** Processes come and go; those that reported last are remembered. */
const SOURCES_KEPT = 64;

export const EMPTY_JOURNAL: BreakerJournal = { version: 1, revision: 0, state: CLOSED_BREAKER, applied: {} };

export function take(
  journal: BreakerJournal,
  source: string,
  events: readonly NumberedEvent[],
  settings: BreakerSettings,
): JournalStep {
  let { state } = journal;
  const transitions: Transition[] = [];
  const last = journal.applied[source] ?? 0;
  for (const { number, event } of events) {
    if (number <= last) continue;
    const step = stepBreaker(state, event, settings);
    state = step.state;
    transitions.push(...step.transitions);
  }
  const { [source]: _before, ...others } = journal.applied;
  const kept = Object.entries(others).slice(1 - SOURCES_KEPT);
  const applied = { ...Object.fromEntries(kept), [source]: Math.max(last, events.at(-1)?.number ?? 0) };
  return { journal: { ...journal, revision: journal.revision + 1, state, applied }, transitions };
}

export function passJournalTime(journal: BreakerJournal, now: number, settings: BreakerSettings): JournalStep {
  const { state, transitions } = passTime(journal.state, now, settings);
  if (state === journal.state) return { journal, transitions };
  return { journal: { ...journal, revision: journal.revision + 1, state }, transitions };
}
