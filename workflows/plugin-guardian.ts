/**
 * The guardian of one plugin (spec F): one long activity watches, this decides. A plugin that is well
 * costs a handful of events a day, since the watch returns only when it found something new.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineUpdate,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import {
  TELL_GUARDIAN,
  type ControlActivities,
  type GuardianCommand,
  type GuardianInput,
  type WatchFinding,
} from './contract';
import { isLongEnough } from './long-run';
import { workflowTime } from './workflow-time';
import {
  settle,
  stepGuardian,
  steadyAt,
  type GuardianEffect,
  type GuardianEvent,
  type GuardianNote,
  type GuardianState,
} from './rules/guardian';
import { WATCH_HEARTBEAT_TIMEOUT_MS, WATCH_MS } from './rules/watch-limits';

/** Notes kept for the log while the database can't be written. */
const NOTES_KEPT = 50;
/** For the purge, a stop and what surrounds a start. */
const RECOVERY_SLACK_MS = 60_000;

export async function pluginGuardian(input: GuardianInput): Promise<void> {
  const { pluginId, settings, watch, taskQueue } = input;
  let state = input.state;
  let published = state;
  let notes: readonly GuardianNote[] = [];
  let effects: readonly GuardianEffect[] = [];
  /** The last publication failed: when to make it again. */
  let owedAt: number | null = null;

  const { watchPlugin } = proxyActivities<ControlActivities>({
    taskQueue,
    startToCloseTimeout: WATCH_MS * 2,
    heartbeatTimeout: WATCH_HEARTBEAT_TIMEOUT_MS,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: 1_000, maximumInterval: 30_000, maximumAttempts: 100 },
  });
  const { recoverPlugin } = proxyActivities<ControlActivities>({
    taskQueue,
    startToCloseTimeout: watch.transitionalTimeoutMs + watch.pingTimeoutMs + RECOVERY_SLACK_MS,
    heartbeatTimeout: WATCH_HEARTBEAT_TIMEOUT_MS,
    retry: { initialInterval: 1_000, maximumAttempts: 3 },
  });
  // Nobody looks at the plugin any more once it is given up, so nothing else would make up for one that failed.
  const { quarantinePlugin } = proxyActivities<ControlActivities>({
    taskQueue,
    startToCloseTimeout: RECOVERY_SLACK_MS,
    retry: { initialInterval: 1_000, maximumInterval: 30_000, maximumAttempts: 100 },
  });
  const { publishGuardian } = proxyActivities<ControlActivities>({
    startToCloseTimeout: 10_000,
    scheduleToCloseTimeout: 60_000,
    retry: { initialInterval: 500, maximumAttempts: 5 },
  });

  function absorb(event: GuardianEvent): GuardianState {
    const step = stepGuardian(state, event, settings);
    state = step.state;
    notes = [...notes, ...step.notes];
    effects = [...effects, ...step.effects];
    return state;
  }

  setHandler(defineUpdate<GuardianState, [GuardianCommand]>(TELL_GUARDIAN), absorb);

  for (;;) {
    await publish();
    if (isLongEnough()) {
      await condition(allHandlersFinished);
      return continueAsNew<typeof pluginGuardian>({ ...input, state });
    }
    if (state.quarantined) {
      // A change of the state is what can end it; until then there is nothing to look at.
      const { quarantined } = state;
      await changeOr(() => state.quarantined !== quarantined || hasNews(), [owedAt]);
      continue;
    }
    const finding = await findSomething();
    if (finding?.kind === 'gone') return;
    if (finding?.kind === 'healthy' || finding?.kind === 'unhealthy') {
      const { kind, ...rest } = finding;
      absorb({ type: kind, ...rest } as GuardianEvent);
    }
    await publish();
    for (const effect of effects) await carryOut(effect);
    effects = [];
  }

  /** Watches until there is news, or until watching has to end; the watch is over when this returns. */
  async function findSomething(): Promise<WatchFinding | null> {
    const found: { finding: WatchFinding | null; over: boolean } = { finding: null, over: false };
    const scope = new CancellationScope();
    const watching = scope
      .run(() => watchPlugin({ pluginId, watch, wasHealthy: state.health === 'healthy' && state.attempts === 0 }))
      .then((finding) => (found.finding = finding))
      .catch(async (error: unknown) => {
        if (CancellationScope.current().consideredCancelled || !isTold(error)) throw error;
        // The watch itself failed over and over: look again, but not at once.
        if (!isCancellation(error)) await sleep(watch.intervalMs);
      })
      .finally(() => (found.over = true));
    while (!found.over) {
      await publish();
      await changeOr(() => found.over || hasNews(), [steadyAt(state, settings), owedAt]);
      calmDown();
      if (state.quarantined || isLongEnough()) scope.cancel();
    }
    await watching;
    return found.finding;
  }

  /** F2: the flag comes down by itself. */
  function calmDown(): void {
    const calmer = settle(state, workflowTime(), settings);
    if (state.flapping && !calmer.flapping)
      notes = [...notes, { what: 'steady', at: workflowTime(), cause: 'no change in the window' }];
    state = calmer;
  }

  async function carryOut(effect: GuardianEffect): Promise<void> {
    const { ailment } = effect;
    try {
      if (effect.kind === 'escalate') {
        await quarantinePlugin({ pluginId, attempts: effect.attempts, ailment });
        return;
      }
      await sleep(effect.delayMs);
      if (state.quarantined) return;
      const { attempt } = effect;
      const { healthyAt } = await recoverPlugin({ pluginId, attempt, ailment, pingTimeoutMs: watch.pingTimeoutMs });
      if (healthyAt !== null) absorb({ type: 'healthy', at: healthyAt });
    } catch (error) {
      // It did not come back this time: the next look at it counts the next attempt.
      if (!isTold(error)) throw error;
    }
  }

  /** While a publication is owed, what happens waits for its time. */
  function hasNews(): boolean {
    return owedAt === null && state !== published;
  }

  async function publish(): Promise<void> {
    if (owedAt === null ? state === published && notes.length === 0 : owedAt > workflowTime()) return;
    const [told, toldNotes] = [state, notes];
    published = told;
    notes = [];
    owedAt = null;
    try {
      await publishGuardian({ pluginId, state: told, notes: toldNotes });
    } catch (error) {
      if (!isTold(error) || isCancellation(error)) throw error;
      // The database was away for longer than the tries took: what it could not take is written later.
      if (!patched('guardian-publishes-again')) return;
      notes = [...toldNotes, ...notes].slice(-NOTES_KEPT);
      owedAt = workflowTime() + watch.intervalMs;
    }
  }
}

async function changeOr(changed: () => boolean, times: readonly (number | null)[]): Promise<void> {
  const next = Math.min(...times.map((at) => at ?? Infinity));
  if (next === Infinity) await condition(changed);
  else await condition(changed, Math.max(1, next - workflowTime()));
}

function isTold(error: unknown): boolean {
  return error instanceof ActivityFailure || isCancellation(error);
}
