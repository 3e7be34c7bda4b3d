import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ApplicationFailure, type WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import {
  INFERENCE_WORKFLOW,
  type AttemptInput,
  type InferenceActivities,
  type InferenceInput,
} from '../../workflows/contract';
import { HISTORIES, historyFromText, historyToText, keepHistory } from './history-file';
import { bundle, startWorkflowBench, type WorkflowBench } from './workflow-bench';

const retry = { transientRetries: 3, rateLimitCalls: 10, maxCalls: 13, baseDelayMs: 20, maxDelayMs: 100 };
const first = { modelId: 'm1', pluginId: 'p1' };
const second = { modelId: 'm2', pluginId: 'p2' };

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await startWorkflowBench();
}, 120_000);

afterAll(async () => {
  await bench?.stop();
});

interface Calls {
  readonly attempts: AttemptInput[];
  readonly settled: Parameters<InferenceActivities['settle']>[0][];
}

function script(attempt: (input: AttemptInput, call: number) => ReturnType<InferenceActivities['attempt']>): Calls {
  const calls: Calls = { attempts: [], settled: [] };
  bench.activities = {
    attempt(input) {
      calls.attempts.push(input);
      return attempt(input, calls.attempts.length);
    },
    async settle(input) {
      calls.settled.push(input);
    },
  };
  return calls;
}

async function start(over: Partial<InferenceInput> = {}): Promise<WorkflowHandle & { eagerlyStarted: boolean }> {
  const taskId = `task_${randomUUID()}`;
  const input: InferenceInput = { taskId, plan: [first], budgetMs: 20_000, retry, ...over };
  return bench.client.workflow.start(INFERENCE_WORKFLOW, {
    workflowId: taskId,
    taskQueue: bench.taskQueue,
    args: [input],
    requestEagerStart: true,
  });
}

const answered = { kind: 'settled', state: 'completed', reason: null } as const;

test('A8: a request starts eagerly on the process that accepted it, and one attempt answers it', async () => {
  const calls = script(async () => answered);
  const handle = await start();
  expect(handle.eagerlyStarted).toBe(true);
  expect(await handle.result()).toEqual(answered);
  expect(calls.attempts).toEqual([{ taskId: handle.workflowId, target: first, last: true, retry }]);
  await keepHistory('answered', handle);
});

test('B1: a retry is the activity’s own, after the delay it chose, and adds nothing to history', async () => {
  const times: number[] = [];
  script(async (_input, call) => {
    times.push(Date.now());
    if (call < 3) throw ApplicationFailure.create({ message: 'transport', type: 'transport', nextRetryDelay: 300 });
    return answered;
  });
  const handle = await start();
  await handle.result();
  const gaps = times.slice(1).map((at, index) => at - times[index]!);
  for (const gap of gaps) {
    expect(gap).toBeGreaterThanOrEqual(295);
    expect(gap).toBeLessThan(1_000);
  }
  const { events } = await handle.fetchHistory();
  expect(events!.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
  expect(events!.length).toBeLessThanOrEqual(11);
  await keepHistory('retried', handle);
});

test('D6: the next target is a new activity, and only the last one is told that it is the last', async () => {
  const calls = script(async ({ target }) =>
    target?.modelId === 'm1' ? { kind: 'next', reason: 'transport' } : answered,
  );
  const handle = await start({ plan: [first, second] });
  expect(await handle.result()).toEqual(answered);
  expect(calls.attempts.map(({ target, last }) => [target?.modelId, last])).toEqual([
    ['m1', false],
    ['m2', true],
  ]);
  await keepHistory('next-target', handle);
});

test('D6: a virtual model’s attempts choose their member themselves, one activity a member', async () => {
  const calls = script(async (_input, call) => (call < 3 ? { kind: 'next', reason: 'transport' } : answered));
  const handle = await start({ plan: [], virtual: true });
  expect(await handle.result()).toEqual(answered);
  expect(calls.attempts).toEqual(
    [1, 2, 3].map(() => ({ taskId: handle.workflowId, target: null, last: false, retry })),
  );
  await keepHistory('failed-over', handle);
});

test('D7: a deferral is a retry of the same activity at the end of the cooldown, and adds nothing to history', async () => {
  const times: number[] = [];
  script(async (_input, call) => {
    times.push(Date.now());
    const type = 'backends_on_cooldown';
    if (call < 3) throw ApplicationFailure.create({ message: type, type, nextRetryDelay: 400 });
    return answered;
  });
  const handle = await start({ plan: [], virtual: true });
  expect(await handle.result()).toEqual(answered);
  for (const gap of times.slice(1).map((at, index) => at - times[index]!)) {
    expect(gap).toBeGreaterThanOrEqual(395);
    expect(gap).toBeLessThan(400 + 1_500);
  }
  expect((await handle.fetchHistory()).events!.length).toBeLessThanOrEqual(11);
  await keepHistory('deferred', handle);
});

test('A8: a cancelled workflow ends its task as cancelled', async () => {
  let begun!: () => void;
  const began = new Promise<void>((resolve) => (begun = resolve));
  const calls = script(async () => {
    begun();
    throw ApplicationFailure.create({ message: 'transport', type: 'transport', nextRetryDelay: 15_000 });
  });
  const handle = await start();
  await began;
  await handle.cancel();
  expect(await handle.result()).toEqual({ kind: 'settled', state: 'cancelled', reason: 'cancelled' });
  expect(calls.settled).toEqual([{ taskId: handle.workflowId, state: 'cancelled', reason: 'cancelled' }]);
  await keepHistory('cancelled', handle);
});

test('B4: an attempt that fails for good is not tried again by the engine; its task is ended', async () => {
  const calls = script(async () => {
    throw ApplicationFailure.nonRetryable('broken', 'internal_error');
  });
  const handle = await start();
  expect(await handle.result()).toEqual({ kind: 'settled', state: 'failed', reason: 'internal_error' });
  expect(calls.attempts).toHaveLength(1);
  expect(calls.settled).toHaveLength(1);
  await keepHistory('failed', handle);
});

test('A8: history holds ids, codes and settings only', async () => {
  script(async () => answered);
  const handle = await start();
  await handle.result();
  const { events } = await handle.fetchHistory();
  expect(historyToText({ events }).length).toBeLessThan(16_384);
});

test('H4: every committed history replays', async () => {
  const names = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
  expect(names.length).toBeGreaterThanOrEqual(7);
  const workflowBundle = await bundle();
  for (const name of names) {
    const history = historyFromText(readFileSync(path.join(HISTORIES, name), 'utf8'));
    await Worker.runReplayHistory({ workflowBundle, replayName: name }, history);
  }
}, 60_000);

test('H4: a history that does not fit the code is refused, so this gate can fail', async () => {
  const workflowBundle = await bundle();
  const text = readFileSync(path.join(HISTORIES, 'answered.json'), 'utf8').replaceAll('"attempt"', '"another"');
  await expect(Worker.runReplayHistory({ workflowBundle }, historyFromText(text))).rejects.toThrow();
}, 60_000);
