import type { Store } from '../store/store';
import { ResponseRecorder } from './response-recorder';

type Batch = { attempt: number; first: number; events: readonly (readonly [string | null, string])[] };
type Last = { attempt: number; first: number; next: number } | null;

function recorder(last: Last, append: (batch: Batch) => Promise<void>) {
  const written: Batch[] = [];
  let told = 0;
  const responses = {
    lastAttempt: async () => last,
    append: async (_taskId: string, batch: Batch) => {
      await append(batch);
      written.push(batch);
    },
  };
  const made = new ResponseRecorder({
    store: { responses } as unknown as Store,
    taskId: 't',
    announce: (first) => [0, 1].map((at) => ({ event: 'announced', data: String(first + at) })),
    onWritten: () => (told += 1),
  });
  return { made, written, told: () => told };
}

const works = async () => undefined;

test('K: it announces itself, then writes what comes in batches, numbered on', async () => {
  const { made, written, told } = recorder(null, works);
  expect(await made.eventsBefore()).toBe(2);
  for (const data of ['a', 'b', 'c']) await made.event(data, 'e');
  await made.settled();
  expect(written[0]).toEqual({
    attempt: 1,
    first: 0,
    events: [
      ['announced', '0'],
      ['announced', '1'],
    ],
  });
  expect(written.slice(1).flatMap(({ events }) => events.map(([, data]) => data))).toEqual(['a', 'b', 'c']);
  expect(written.map(({ first }) => first)).toEqual([...new Set(written.map(({ first }) => first))]);
  expect(written.at(-1)!.first + written.at(-1)!.events.length).toBe(5);
  expect(told()).toBe(written.length);
});

test('K: a run after one that gave something counts on as another attempt', async () => {
  const { made, written } = recorder({ attempt: 1, first: 0, next: 7 }, works);
  expect(await made.eventsBefore()).toBe(9);
  await made.event('x', 'e');
  await made.settled();
  expect(written).toMatchObject([
    { attempt: 2, first: 7 },
    { attempt: 2, first: 9 },
  ]);
});

test('K: a run after one that only announced itself goes on from there', async () => {
  const { made, written } = recorder({ attempt: 1, first: 0, next: 2 }, works);
  expect(await made.eventsBefore()).toBe(2);
  await made.event('x', 'e');
  await made.settled();
  expect(written).toMatchObject([{ attempt: 1, first: 2 }]);
});

test('C: what can’t be written is told to whoever gives or waits, and ends nothing else', async () => {
  const { made } = recorder(null, async ({ first }) => {
    if (first > 0) throw new Error('the disk is full');
  });
  await made.event('a', 'e');
  await expect(made.settled()).rejects.toThrow('the disk is full');
  await expect(made.event('b', 'e')).rejects.toThrow('the disk is full');
});
