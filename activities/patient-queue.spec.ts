import fc from 'fast-check';
import { DatabaseBusy, DatabaseFull } from '../store/errors';
import { databaseFile, openStore } from '../store/open-store';
import { connectSqlite } from '../store/sqlite-connection';
import type { Queue } from '../store/store';
import { attemptEnd, newTask, now, settlement, target } from '../test/store/samples';
import { temporaryDirectories } from '../test/store/temporary-directory';
import { patientQueue } from './patient-queue';
import { pause } from './pause';

const newDirectory = temporaryDirectories();

/** A queue whose first writes find the database locked, on a clock that only pauses and locks move. */
function lockedFor(writes: number, lockMs: number, ms: number) {
  const clock = { now: 0 };
  const done: number[] = [];
  let left = writes;
  const write =
    <T>(result: T) =>
    (): Promise<T> => {
      if (left > 0) {
        left -= 1;
        clock.now += lockMs;
        return Promise.reject(new DatabaseBusy('database is locked'));
      }
      done.push(clock.now);
      return Promise.resolve(result);
    };
  const claimedAt: number[] = [];
  const queue = {
    claim: (_task: string, _target: unknown, _holder: string, at: number) => {
      claimedAt.push(at);
      return write({ fence: 1, attempt: 1 })();
    },
    finish: write(true),
    release: write(true),
  } as unknown as Queue;
  const pause = (pauseMs: number): Promise<void> => {
    clock.now += pauseMs;
    return Promise.resolve();
  };
  return { queue: patientQueue(queue, { ms, now: () => clock.now, pause }), clock, done, claimedAt };
}

describe('a locked database while work runs (C1)', () => {
  test('C1: whatever the lock does, a result is recorded once, or the lock lasted as long as the patience', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.nat(6_000), fc.integer({ min: 1, max: 20_000 }), async (writes, lockMs, ms) => {
        const { queue, clock, done } = lockedFor(writes, lockMs, ms);
        const outcome = await queue.finish('t', 1, attemptEnd(), settlement()).catch((error: unknown) => error);
        if (outcome === true) return expect(done).toHaveLength(1);
        expect(outcome).toBeInstanceOf(DatabaseBusy);
        expect(done).toHaveLength(0);
        // A pause longer than what is left of the patience is not begun.
        expect(clock.now).toBeGreaterThanOrEqual(ms - 1_000);
        expect(clock.now).toBeLessThan(ms + lockMs);
      }),
    );
  });

  test('C1: a claim that waited counts its lease from when it was given', async () => {
    const { queue, claimedAt } = lockedFor(1, 5_000, 15_000);
    await expect(queue.claim('t', target, 'p', 70, 30_000)).resolves.toEqual({ fence: 1, attempt: 1 });
    expect(claimedAt).toEqual([70, 5_095]);
  });

  test('C3: any other failure is not tried again', async () => {
    const finish = jest.fn(() => Promise.reject(new DatabaseFull('disk full')));
    const queue = patientQueue({ finish } as unknown as Queue, {
      ms: 1_000,
      now: () => 0,
      pause: () => Promise.resolve(),
    });
    await expect(queue.finish('t', 1, attemptEnd(), settlement())).rejects.toThrow(DatabaseFull);
    expect(finish).toHaveBeenCalledTimes(1);
  });
});

test('C1: another connection keeps the write lock for longer than a statement waits: accepts are refused, running work ends well', async () => {
  const dataDir = newDirectory();
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
  const queue = patientQueue(store.queue, { ms: 20_000, now: Date.now, pause });
  await store.tasks.accept(newTask({ id: 'running' }), 0);
  const claim = await queue.claim('running', target, 'process-1', now, 30_000);
  const other = await connectSqlite(databaseFile(dataDir), async () => {});
  const lock = await other.begin();
  const refused = store.tasks.accept(newTask({ id: 'refused' }), 0).catch((error: unknown) => error);
  const finished = queue.finish('running', claim!.fence, attemptEnd(), settlement());
  expect(await refused).toBeInstanceOf(DatabaseBusy);
  await lock.rollback();
  expect(await finished).toBe(true);
  await expect(store.tasks.get('running')).resolves.toMatchObject({ state: 'completed' });
  await expect(store.tasks.get('refused')).resolves.toBeNull();
  await other.close();
  await store.close();
}, 60_000);
