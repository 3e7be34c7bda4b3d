import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { GuardianWatch } from '../../activities/guardian/watch';
import type { GuardedPlugin } from '../../activities/guardian/guarded-plugins';
import type { Adapter } from '../../plugins/adapter';
import {
  GUARDIAN_WORKFLOW,
  TELL_GUARDIAN,
  type GuardianCommand,
  type GuardianInput,
  type RecoveryInput,
} from '../../workflows/contract';
import { NEW_GUARDIAN, type GuardianNote, type GuardianState } from '../../workflows/rules/guardian';
import { keepHistory } from './history-file';
import { startWorkflowBench, type WorkflowBench } from './workflow-bench';

const INTERVAL_MS = 20;
/** Checks of an hour at the default interval of 20 s. */
const CHECKS_AN_HOUR = 180;
const EVENTS_AN_HOUR = 50;

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await startWorkflowBench();
}, 120_000);

afterAll(async () => {
  await bench?.stop();
});

/** One guardian over a plugin whose ping is a switch. */
class Guardian {
  /** What the next ping says; null: it answers. */
  ailing: string | null = null;
  pings = 0;
  readonly recoveries: RecoveryInput[] = [];
  readonly quarantines: unknown[] = [];
  readonly states: GuardianState[] = [];
  readonly notes: GuardianNote[] = [];
  /** How often each of these still fails, as it does while the database is away. */
  readonly failing = { publishing: 0, quarantining: 0 };
  /** Whether a recovery mends it. */
  mends = false;
  handle!: WorkflowHandle;
  private readonly checks = new Set<() => void>();

  static async start(over: Partial<GuardianInput['settings']> = {}): Promise<Guardian> {
    const guardian = new Guardian();
    guardian.script();
    const pluginId = `p-${randomUUID()}`;
    guardian.handle = await bench.client.workflow.start(GUARDIAN_WORKFLOW, {
      workflowId: `guardian:${pluginId}`,
      taskQueue: bench.taskQueue,
      args: [
        {
          pluginId,
          taskQueue: bench.taskQueue,
          settings: {
            flappingWindowMs: 60_000,
            flappingMinTransitions: 6,
            maxRecoveryAttempts: 3,
            restartDelayMs: 5,
            maxRestartDelayMs: 20,
            ...over,
          },
          watch: { intervalMs: INTERVAL_MS, pingTimeoutMs: 500, transitionalTimeoutMs: 900, stalledMs: 60_000 },
          state: NEW_GUARDIAN,
        } satisfies GuardianInput,
      ],
    });
    return guardian;
  }

  tell(type: GuardianCommand['type']): Promise<GuardianState> {
    return this.handle.executeUpdate<GuardianState, [GuardianCommand]>(TELL_GUARDIAN, {
      args: [{ type, at: Date.now() }],
    });
  }

  /** Resolves once it holds; looked at after each thing that happens. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        this.checks.delete(check);
        resolve();
      };
      this.checks.add(check);
    });
  }

  get whats(): string[] {
    return this.notes.map(({ what }) => what);
  }

  private fail(what: keyof Guardian['failing']): void {
    if (this.failing[what] === 0) return;
    this.failing[what] -= 1;
    throw new Error('the database is away');
  }

  private happened(): void {
    for (const check of [...this.checks]) check();
  }

  private script(): void {
    const adapter = {
      backend: { state: 'running', detail: null },
      ping: () => {
        this.pings += 1;
        this.happened();
        return this.ailing === null ? Promise.resolve() : Promise.reject(new Error(this.ailing));
      },
    } as unknown as Adapter;
    const quarantine = { state: 'none', reason: null, since: null } as const;
    const plugin = (id: string): GuardedPlugin => ({ id, local: false, idle: false, adapter, quarantine });
    const watch = new GuardianWatch({
      plugins: {
        get: plugin,
        all: () => [],
        onChange: () => undefined,
        onRemoved: () => undefined,
        checkFiles: () => Promise.resolve(true),
        setQuarantine: () => undefined,
        progressOf: () => [],
        purge: () => Promise.resolve(0),
      },
      pinged: () => undefined,
      describe: () => undefined,
      now: Date.now,
      random: Math.random,
    });
    bench.control = {
      ...bench.control,
      watchPlugin: (input) => watch.watch(input),
      publishGuardian: async ({ state, notes }) => {
        this.fail('publishing');
        this.states.push(state);
        this.notes.push(...notes);
        this.happened();
      },
      recoverPlugin: async (input) => {
        this.recoveries.push(input);
        if (this.mends) this.ailing = null;
        this.happened();
        return { healthyAt: this.mends ? Date.now() : null };
      },
      quarantinePlugin: async (input) => {
        this.fail('quarantining');
        this.quarantines.push(input);
        this.happened();
      },
    };
  }
}

test('F1: an hour of checks of a healthy plugin costs at most 50 events of history', async () => {
  const guardian = await Guardian.start();
  await guardian.until(() => guardian.pings >= CHECKS_AN_HOUR);
  const { historyLength } = await guardian.handle.describe();
  expect(historyLength).toBeLessThanOrEqual(EVENTS_AN_HOUR);
  expect(guardian.recoveries).toEqual([]);
  expect(guardian.states.at(-1)).toMatchObject({ health: 'healthy', attempts: 0 });
  await keepHistory('guardian-healthy', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('F3: a plugin that a recovery mends is counted as well again', async () => {
  const guardian = await Guardian.start();
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  guardian.mends = true;
  guardian.ailing = 'refused';
  await guardian.until(() => guardian.whats.includes('healthy'));
  expect(guardian.whats).toEqual(['unhealthy', 'recovering', 'healthy']);
  expect(guardian.recoveries).toMatchObject([{ attempt: 1, ailment: 'ping_failed' }]);
  expect(guardian.states.at(-1)).toMatchObject({ attempts: 0, health: 'healthy' });
  await keepHistory('guardian-recovered', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('F3, G12: the fourth recovery in a row is not made: it is quarantined, and left alone until that is cleared', async () => {
  const guardian = await Guardian.start();
  guardian.ailing = 'refused';
  await guardian.until(() => guardian.quarantines.length > 0);
  expect(guardian.recoveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(guardian.quarantines).toMatchObject([{ attempts: 3, ailment: 'ping_failed' }]);
  await guardian.until(() => guardian.whats.includes('quarantined'));
  const { pings } = guardian;
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS * 10));
  expect(guardian.pings).toBe(pings);
  guardian.ailing = null;
  expect(await guardian.tell('quarantine_cleared')).toMatchObject({ quarantined: false, attempts: 0 });
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  await keepHistory('guardian-quarantined', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('F3: what the database could not take is written when it is back, and a quarantine is made all the same', async () => {
  const guardian = await Guardian.start();
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  // One more than a publication is tried at once, and as many as a recovery is.
  Object.assign(guardian.failing, { publishing: 5, quarantining: 3 });
  guardian.ailing = 'refused';
  await guardian.until(() => guardian.quarantines.length > 0);
  await guardian.until(() => guardian.whats.includes('quarantined'));
  expect(guardian.whats).toEqual(['unhealthy', 'recovering', 'recovering', 'recovering', 'quarantined']);
  expect(guardian.states.at(-1)).toMatchObject({ quarantined: true, attempts: 3 });
  await keepHistory('guardian-database-away', guardian.handle);
  await guardian.handle.terminate();
}, 90_000);

test('F3: a publication that failed is made again though nothing has changed', async () => {
  const guardian = await Guardian.start();
  guardian.failing.publishing = 5;
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  await guardian.handle.terminate();
}, 90_000);

test('F3: a reset of the circuit clears the count of recoveries', async () => {
  const guardian = await Guardian.start({ maxRecoveryAttempts: 1_000 });
  guardian.ailing = 'refused';
  await guardian.until(() => guardian.recoveries.length >= 2);
  expect((await guardian.tell('circuit_reset')).attempts).toBe(0);
  const seen = guardian.recoveries.length;
  await guardian.until(() => guardian.recoveries.slice(seen).some(({ attempt }) => attempt <= 2));
  await keepHistory('guardian-circuit-reset', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('T56: a plugin that goes up and down is flagged once, which then comes down by itself', async () => {
  const guardian = await Guardian.start({ flappingWindowMs: 3_000 });
  guardian.mends = true;
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  for (let round = 1; round <= 4; round += 1) {
    guardian.ailing = 'refused';
    await guardian.until(() => guardian.whats.filter((what) => what === 'healthy').length === round);
  }
  expect(guardian.whats.filter((what) => what === 'flapping')).toHaveLength(1);
  expect(guardian.states.at(-1)).toMatchObject({ flapping: true, quarantined: false });
  await guardian.until(() => guardian.whats.includes('steady'));
  expect(guardian.states.at(-1)).toMatchObject({ flapping: false, transitions: [] });
  await keepHistory('guardian-flapping', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('F6: a plugin quarantined for its files is watched no longer', async () => {
  const guardian = await Guardian.start();
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  expect((await guardian.tell('quarantined')).quarantined).toBe(true);
  for (let pings = -1; pings !== guardian.pings;) {
    pings = guardian.pings;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  expect(guardian.recoveries).toEqual([]);
  await keepHistory('guardian-integrity', guardian.handle);
  await guardian.handle.terminate();
}, 60_000);

test('F: it goes on in a new run, with its watch cancelled and awaited first', async () => {
  const guardian = await Guardian.start();
  await guardian.until(() => guardian.states.at(-1)?.health === 'healthy');
  const first = (await guardian.handle.describe()).runId;
  for (let told = 0; told < 1_000; told += 1) {
    await guardian.tell('circuit_reset');
    if (told % 50 === 49 && (await guardian.handle.describe()).runId !== first) break;
  }
  const { runId } = await guardian.handle.describe();
  expect(runId).not.toBe(first);
  const { events } = await bench.client.workflow.getHandle(guardian.handle.workflowId, first).fetchHistory();
  const last = events!.at(-1)!;
  expect(last.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
  const open = events!.filter((event) => event.activityTaskScheduledEventAttributes).length;
  const closed = events!.filter(
    (event) => event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes,
  ).length;
  expect(closed).toBe(open);
  expect(await guardian.tell('circuit_reset')).toMatchObject({ health: 'healthy' });
  await guardian.handle.terminate();
}, 120_000);
