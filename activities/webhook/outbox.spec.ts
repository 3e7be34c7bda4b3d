import { pino } from 'pino';
import type { FailureFacts } from '../../workflows/rules/vocabulary';
import type { Notice } from './notice';
import { Outbox } from './outbox';

const notice = (id: string): Notice => ({ id, type: 'circuit.opened', plugin: 'p', state: 'open', reason: 'r', at: 1 });
const retry = { transientRetries: 3, rateLimitCalls: 4, maxCalls: 4, baseDelayMs: 1_000, maxDelayMs: 3_000 };
const down: FailureFacts = { kind: 'transport' };

function setUp(answer: (id: string, tries: number) => FailureFacts | null | Promise<FailureFacts | null>) {
  const told: string[] = [];
  const pauses: number[] = [];
  const outbox = new Outbox({
    post: async ({ id }) => {
      told.push(id);
      return answer(id, told.filter((each) => each === id).length);
    },
    retry,
    log: pino({ level: 'silent' }),
    random: () => 0.999_999,
    pause: async (ms) => void pauses.push(ms),
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
  };
  return { outbox, told, pauses, settled };
}

test('F3: notices are told in order, and one that fails again and again is given up after its tries', async () => {
  const { outbox, told, pauses, settled } = setUp((id) => (id === 'lost' ? down : null));
  for (const id of ['a', 'lost', 'b']) outbox.put(notice(id));
  await settled();
  expect(told).toEqual(['a', 'lost', 'lost', 'lost', 'lost', 'b']);
  expect(pauses).toEqual([1_000, 2_000, 3_000]);
});

test.each([
  ['a receiver that is away', down, 2],
  ['a time-out', { kind: 'timeout' }, 2],
  ['a 503', { kind: 'status', status: 503 }, 2],
  ['a 429', { kind: 'status', status: 429 }, 2],
  ['a 404', { kind: 'status', status: 404 }, 1],
  ['a redirect', { kind: 'status', status: 302 }, 1],
] as const)('B1-B3: after %s it is tried as the retry rule says', async (_name, failure, tries) => {
  const { outbox, told, settled } = setUp((_id, tried) => (tried === 1 ? failure : null));
  outbox.put(notice('a'));
  await settled();
  expect(told).toHaveLength(tries);
});

test('A7: a receiver that never answers holds nobody up and is owed a bounded number of notices', async () => {
  const { outbox, told, settled } = setUp(() => new Promise(() => undefined));
  for (let put = 0; put < 1_000; put += 1) outbox.put(notice(`n${put}`));
  await settled();
  expect(told).toEqual(['n0']);
  expect((outbox as unknown as { waiting: unknown[] }).waiting.length).toBeLessThanOrEqual(100);
});

test('C8: a stop drops what waits', async () => {
  let abandon: (failure: FailureFacts) => void = () => undefined;
  const { outbox, told, settled } = setUp(() => new Promise((resolve) => (abandon = resolve)));
  outbox.put(notice('a'));
  outbox.put(notice('b'));
  await settled();
  const stopped = outbox.stop();
  abandon({ kind: 'aborted' });
  await stopped;
  outbox.put(notice('c'));
  await settled();
  expect(told).toEqual(['a']);
});
