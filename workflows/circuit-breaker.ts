/**
 * The dispatch circuit of one plugin (spec E): takes what the processes report, answers each with the
 * new state, and has changes written down. While nothing happens it adds nothing to its history.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { REPORT_TO_BREAKER, type BreakerInput, type BreakerReport, type ControlActivities } from './contract';
import { isLongEnough } from './long-run';
import { workflowTime } from './workflow-time';
import { nextChangeAt, type Transition } from './rules/breaker';
import { passJournalTime, take, type BreakerJournal, type JournalStep } from './rules/breaker-journal';

const { publishCircuit } = proxyActivities<ControlActivities>({
  startToCloseTimeout: 10_000,
  scheduleToCloseTimeout: 60_000,
  retry: { initialInterval: 500, maximumAttempts: 5 },
});

/** Transitions kept for the log while the database can't be written. */
const TRANSITIONS_KEPT = 50;

export async function circuitBreaker(input: BreakerInput): Promise<void> {
  const { pluginId, settings, persistMs } = input;
  let journal = input.journal;
  let written = journal.revision;
  let transitions: readonly Transition[] = [];
  /** The oldest change that is not written yet. */
  let changedAt = 0;

  function absorb(step: JournalStep): BreakerJournal {
    if (journal.revision === written && step.journal.revision !== written) changedAt = workflowTime();
    journal = step.journal;
    transitions = [...transitions, ...step.transitions].slice(-TRANSITIONS_KEPT);
    return journal;
  }

  setHandler(defineUpdate<BreakerJournal, [BreakerReport]>(REPORT_TO_BREAKER), ({ source, events }) =>
    absorb(take(journal, source, events, settings)),
  );

  for (let failedAt = -persistMs; ;) {
    absorb(passJournalTime(journal, workflowTime(), settings));
    // A change of state is news for everybody, a count can wait; so can both while the database is away.
    const dueAt = Math.max(transitions.length > 0 ? 0 : changedAt + persistMs, failedAt + persistMs);
    if (journal.revision !== written && dueAt <= workflowTime()) {
      const publication = { pluginId, journal, transitions };
      if (await published(publication)) {
        written = publication.journal.revision;
        transitions = transitions.filter((each) => !publication.transitions.includes(each));
        changedAt = workflowTime();
      } else failedAt = workflowTime();
      continue;
    }
    if (journal.revision === written && isLongEnough()) {
      await condition(allHandlersFinished);
      if (journal.revision === written) return continueAsNew<typeof circuitBreaker>({ ...input, journal });
      continue;
    }
    const { revision } = journal;
    const wakes = [nextChangeAt(journal.state, settings), revision === written ? null : dueAt];
    await changeOrTime(() => journal.revision !== revision, wakes);
  }

  async function published(publication: Parameters<typeof publishCircuit>[0]): Promise<boolean> {
    try {
      await publishCircuit(publication);
      return true;
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return false;
    }
  }
}

async function changeOrTime(changed: () => boolean, times: readonly (number | null)[]): Promise<void> {
  const next = Math.min(...times.map((at) => at ?? Infinity));
  if (next === Infinity) await condition(changed);
  else await condition(changed, Math.max(1, next - workflowTime()));
}
