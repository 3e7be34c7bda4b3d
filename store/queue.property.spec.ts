import fc from 'fast-check';
import { leaseMs, QueueModel, staleProcessMs } from '../test/store/queue-model';
import { attemptEnd, newTask, now as start, processRow, settlement, target } from '../test/store/samples';
import { temporaryDirectories } from '../test/store/temporary-directory';
import { openStore } from './open-store';
import type { Store } from './store';

type Step =
  | { readonly do: 'claim' | 'takeOver' | 'settle'; readonly task: number; readonly process: number }
  /** `age`: 0 is the newest fence, 1 the one before it. */
  | { readonly do: 'release' | 'finish'; readonly task: number; readonly age: number }
  | { readonly do: 'endOrphan' | 'cancel' | 'wait'; readonly task: number }
  | { readonly do: 'renew' | 'beat' | 'stop'; readonly process: number }
  | { readonly do: 'pass'; readonly ms: number };

const taskCount = 3;
const task = fc.nat(taskCount - 1);
const process = fc.nat(2);
const of = <Name extends Step['do']>(...names: Name[]): fc.Arbitrary<Name> => fc.constantFrom(...names);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: of('claim', 'takeOver'), task, process }) },
  { weight: 3, arbitrary: fc.record({ do: of('release', 'finish'), task, age: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: of('endOrphan', 'cancel', 'wait'), task }) },
  { weight: 1, arbitrary: fc.record({ do: of('settle'), task, process }) },
  { weight: 2, arbitrary: fc.record({ do: of('renew', 'beat'), process }) },
  { weight: 1, arbitrary: fc.record({ do: of('stop'), process }) },
  { weight: 2, arbitrary: fc.record({ do: of('pass'), ms: fc.constantFrom(1, 10_000, leaseMs - 1, leaseMs) }) },
);

const newDirectory = temporaryDirectories();
let store: Store;
let runs = 0;

beforeAll(async () => {
  store = await openStore({ database: { TYPE: 'sqlite' }, dataDir: newDirectory() });
});

afterAll(() => store.close());

/** One run's tasks and processes, beside those of the runs before it. */
class Interleaving {
  private now = start;
  private readonly run = (runs += 1);
  private readonly ids = Array.from({ length: taskCount }, (_, index) => `run-${this.run}-task-${index}`);
  private readonly names = [0, 1, 2].map((index) => `run-${this.run}-process-${index}`);
  private readonly model = new QueueModel(
    taskCount,
    new Map(this.names.map((name) => [name, { heartbeatAt: start, stopped: false }])),
    this.names[0]!,
  );

  async prepare(): Promise<void> {
    await Promise.all(this.names.map((name) => store.processes.register(processRow(name))));
    await Promise.all(this.ids.map((id) => store.tasks.accept(newTask({ id, incarnation: this.names[0]! }), 0)));
  }

  /** Applies the step to both. The store's answer is awaited later, so that steps share a commit. */
  apply(step: Step): { readonly real: Promise<unknown>; readonly expected: unknown } {
    const { model, now } = this;
    const { queue, tasks, processes } = store;
    if (step.do === 'pass') {
      this.now += step.ms;
      return { real: Promise.resolve(), expected: undefined };
    }
    if ('process' in step && !('task' in step)) {
      const name = this.names[step.process]!;
      const process = model.processes.get(name)!;
      if (step.do === 'renew') {
        const real = queue.renew(name, this.ids, now, leaseMs).then((ids) => [...ids].sort());
        return { real, expected: model.renew(name, now).map((held) => this.ids[model.tasks.indexOf(held)]) };
      }
      if (step.do === 'stop') {
        process.stopped = true;
        return { real: processes.stopped(name, now), expected: undefined };
      }
      process.heartbeatAt = now;
      return { real: processes.heartbeat(name, now), expected: undefined };
    }
    const id = this.ids[step.task]!;
    const task = model.tasks[step.task]!;
    switch (step.do) {
      case 'claim': {
        const name = this.names[step.process]!;
        return { real: queue.claim(id, target, name, now, leaseMs), expected: model.claim(task, name, now) };
      }
      case 'takeOver': {
        const name = this.names[step.process]!;
        return { real: queue.takeOver(id, name, now, staleProcessMs), expected: model.takeOver(task, name, now) };
      }
      case 'release': {
        const fence = task.fence - step.age;
        return {
          real: queue.release(id, fence, attemptEnd({ outcome: 'transient', at: now })),
          expected: model.release(task, fence),
        };
      }
      case 'finish': {
        const fence = task.fence - step.age;
        return {
          real: queue.finish(id, fence, attemptEnd({ at: now }), settlement({ at: now })),
          expected: model.finish(task, fence),
        };
      }
      case 'settle': {
        const name = this.names[step.process]!;
        const ending = settlement({ state: 'failed', answer: null });
        return { real: tasks.settle(id, name, ending), expected: model.settle(task, name) };
      }
      case 'endOrphan': {
        const ending = settlement({ state: 'failed', answer: null });
        return {
          real: queue.endOrphan(id, ending, now, staleProcessMs),
          expected: model.endOrphan(task, now),
        };
      }
      case 'cancel':
        task.cancelRequested ||= !task.ended;
        return {
          real: tasks.requestCancel(id, 'operator', now).then((record) => record?.cancelRequested !== null),
          expected: task.cancelRequested,
        };
      case 'wait':
        return { real: tasks.setWaiting(id, 'deferred', 'backends_on_cooldown', now), expected: undefined };
    }
  }

  async check(): Promise<void> {
    const orphans = (await store.queue.orphans(this.now, 10_000, staleProcessMs)).map((record) => record.id);
    for (const name of this.names) {
      const expected = this.model
        .standing(name)
        .map(({ task, cancelRequested }) => [this.ids[this.model.tasks.indexOf(task)]!, { cancelRequested }] as const);
      expect(await store.queue.standing(name, this.ids)).toEqual(new Map(expected));
    }
    for (const [index, task] of this.model.tasks.entries()) {
      const id = this.ids[index]!;
      const [record, attempts] = await Promise.all([store.tasks.get(id), store.tasks.attempts(id)]);
      expect(record).toMatchObject({ takeovers: task.takeovers });
      // No terminal state is ever left, and only a finish or a settlement reaches one.
      if (task.ended) expect(record).toMatchObject({ state: task.ended });
      else expect(['queued', 'deferred', 'running']).toContain(record!.state);
      // Every attempt that was opened is there; at most the newest is running, under the newest fence.
      expect(attempts.map((attempt) => attempt.number)).toEqual(
        Array.from({ length: task.attempts }, (_, number) => number + 1),
      );
      const running = attempts.filter((attempt) => attempt.outcome === 'running');
      const leased = task.holder !== null && !task.ended;
      expect(running.map((attempt) => attempt.fence)).toEqual(leased ? [task.fence] : []);
      expect(orphans.includes(id)).toBe(this.model.isOrphan(task, this.now));
    }
  }
}

test('C1: in every interleaving of claims, renewals, expiries, take-overs and ends, one living lease, no way back from an end, no write under an old fence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 8 }), async (bursts) => {
      const interleaving = new Interleaving();
      await interleaving.prepare();
      for (const burst of bursts) {
        const applied = burst.map((each) => interleaving.apply(each));
        const real = await Promise.all(applied.map((each) => each.real));
        expect(real).toEqual(applied.map((each) => each.expected));
        await interleaving.check();
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);
