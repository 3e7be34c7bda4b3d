import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import {
  BREAKER_WORKFLOW,
  REPORT_TO_BREAKER,
  type BreakerInput,
  type BreakerReport,
  type CircuitPublication,
} from '../../workflows/contract';
import type { BreakerEvent } from '../../workflows/rules/breaker';
import { EMPTY_JOURNAL, type BreakerJournal } from '../../workflows/rules/breaker-journal';
import { keepHistory } from './history-file';
import { startWorkflowBench, type WorkflowBench } from './workflow-bench';

const settings = { windowMs: 60_000, threshold: 3, recoveryMs: 600, probeMs: 500 };

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await startWorkflowBench();
}, 120_000);

afterAll(async () => {
  await bench?.stop();
});

/** One breaker workflow, what it published, and one process that reports to it. */
class Breaker {
  readonly published: CircuitPublication[] = [];
  private number = 0;
  private waiting: (() => void) | null = null;

  private constructor(readonly handle: WorkflowHandle) {}

  static async start(over: Partial<BreakerInput> = {}): Promise<Breaker> {
    const pluginId = `p-${randomUUID()}`;
    const handle = await bench.client.workflow.start(BREAKER_WORKFLOW, {
      workflowId: `circuit:${pluginId}`,
      taskQueue: bench.taskQueue,
      args: [{ pluginId, settings, persistMs: 60_000, journal: EMPTY_JOURNAL, ...over } satisfies BreakerInput],
    });
    const breaker = new Breaker(handle);
    bench.control = {
      ...bench.control,
      async publishCircuit(publication) {
        breaker.published.push(publication);
        breaker.waiting?.();
      },
    };
    return breaker;
  }

  report(...events: BreakerEvent[]): Promise<BreakerJournal> {
    const report: BreakerReport = {
      source: 'one',
      events: events.map((event) => ({ number: ++this.number, event })),
    };
    return this.handle.executeUpdate<BreakerJournal, [BreakerReport]>(REPORT_TO_BREAKER, { args: [report] });
  }

  fail(token: string | null = null): Promise<BreakerJournal> {
    return this.report({ type: 'failure', at: Date.now(), token, cause: 'timeout' });
  }

  /** The publication that told of this state. */
  async publicationOf(phase: string): Promise<CircuitPublication> {
    for (;;) {
      const found = this.published.find(({ journal }) => journal.state.phase === phase);
      if (found) return found;
      await new Promise<void>((resolve) => (this.waiting = resolve));
    }
  }

  async open(): Promise<void> {
    for (let failures = 0; failures < 3; failures += 1) await this.fail();
  }

  permit(token: string): Promise<BreakerJournal> {
    return this.report({ type: 'permit', at: Date.now(), token });
  }
}

test('E2, G1: the report of the third failure is answered with the open state, which is published at once', async () => {
  const breaker = await Breaker.start();
  expect((await breaker.fail()).state.phase).toBe('closed');
  expect((await breaker.fail()).state.failures).toHaveLength(2);
  expect((await breaker.fail()).state.phase).toBe('open');
  const { transitions } = await breaker.publicationOf('open');
  expect(transitions).toMatchObject([{ from: 'closed', to: 'open', cause: 'timeout' }]);
  await keepHistory('circuit-opened', breaker.handle);
  await breaker.handle.terminate();
});

test('E3: half-open by itself; its probe’s success closes it', async () => {
  const breaker = await Breaker.start();
  await breaker.open();
  await breaker.publicationOf('half_open');
  expect((await breaker.permit('t1')).state.probe?.token).toBe('t1');
  expect((await breaker.permit('t2')).state.probe?.token).toBe('t1');
  const closed = await breaker.report({ type: 'success', at: Date.now(), token: 't1' });
  expect(closed.state).toMatchObject({ phase: 'closed', failures: [] });
  expect((await breaker.publicationOf('closed')).transitions).toMatchObject([{ from: 'half_open', to: 'closed' }]);
  await keepHistory('circuit-probe-succeeded', breaker.handle);
  await breaker.handle.terminate();
});

test('E3, T44: a failed probe opens it again, and so does one that nobody hears of again', async () => {
  const breaker = await Breaker.start();
  await breaker.open();
  await breaker.publicationOf('half_open');
  await breaker.permit('t1');
  expect((await breaker.fail('t1')).state.phase).toBe('open');
  breaker.published.length = 0;
  await breaker.publicationOf('half_open');
  await breaker.permit('t2');
  breaker.published.length = 0;
  const { transitions } = await breaker.publicationOf('open');
  expect(transitions).toMatchObject([{ from: 'half_open', to: 'open', cause: 'probe_timeout' }]);
  await keepHistory('circuit-probe-failed', breaker.handle);
  await breaker.handle.terminate();
});

test('E5: an operator’s reset closes it', async () => {
  const breaker = await Breaker.start({ settings: { ...settings, recoveryMs: 600_000 } });
  await breaker.open();
  await breaker.publicationOf('open');
  await breaker.report({ type: 'reset', at: Date.now(), cause: 'operator' });
  expect((await breaker.publicationOf('closed')).transitions).toMatchObject([{ to: 'closed', cause: 'operator' }]);
  await keepHistory('circuit-reset', breaker.handle);
  await breaker.handle.terminate();
});

test('E4: a count that changed is written within the time set for that, in one go', async () => {
  const breaker = await Breaker.start({ persistMs: 300 });
  await breaker.fail();
  await breaker.fail();
  const { journal, transitions } = await breaker.publicationOf('closed');
  expect([journal.state.failures.length, transitions]).toEqual([2, []]);
  expect(breaker.published).toHaveLength(1);
  await breaker.handle.terminate();
});

test('E: while nothing happens it adds nothing to its history', async () => {
  const breaker = await Breaker.start();
  await breaker.report({ type: 'success', at: Date.now(), token: null });
  const before = (await breaker.handle.describe()).historyLength;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect((await breaker.handle.describe()).historyLength).toBe(before);
  await breaker.handle.terminate();
});

test('E: it goes on in a new run with all it knew when its history has grown', async () => {
  const breaker = await Breaker.start({ persistMs: 50 });
  const first = (await breaker.handle.describe()).runId;
  const counted = await breaker.fail();
  for (let report = 0; report < 450; report += 1)
    await breaker.report({ type: 'neutral', at: Date.now(), token: null });
  for (;;) {
    const { runId, historyLength } = await breaker.handle.describe();
    if (runId !== first && historyLength > 2) break;
    await breaker.report({ type: 'neutral', at: Date.now(), token: null });
  }
  const { state } = await breaker.report({ type: 'neutral', at: Date.now(), token: null });
  expect(state.failures).toEqual(counted.state.failures);
  await breaker.handle.terminate();
}, 60_000);
