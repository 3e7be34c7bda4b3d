import pino from 'pino';
import type { Queue } from '../store/store';
import { Leases } from './leases';

const log = pino({ level: 'silent' });

function leases(renew: Queue['renew'], clock = { now: 1_000 }): Leases {
  return new Leases({ renew } as Queue, 'me', 300, log, () => clock.now);
}

describe('leases are renewed in one batch (C1)', () => {
  test('C1: all held ids go in one statement', async () => {
    const asked: (readonly string[])[] = [];
    const held = leases(async (_holder, ids) => {
      asked.push(ids);
      return ids;
    });
    held.hold('a', 1_000, fail);
    held.hold('b', 1_000, fail);
    await held.renew();
    held.stop();
    expect(asked).toEqual([['a', 'b']]);
  });

  test('C1: a lease that somebody else took is lost at once', async () => {
    const lost: string[] = [];
    const held = leases(async () => ['b']);
    held.hold('a', 1_000, () => lost.push('a'));
    held.hold('b', 1_000, () => lost.push('b'));
    await held.renew();
    held.stop();
    expect(lost).toEqual(['a']);
  });

  test('C1: while the database is away a lease holds to its end, then it is lost', async () => {
    const lost: string[] = [];
    const clock = { now: 1_000 };
    const held = leases(() => Promise.reject(new Error('away')), clock);
    held.hold('a', 1_000, () => lost.push('a'));
    clock.now = 1_299;
    await held.renew();
    expect(lost).toEqual([]);
    clock.now = 1_300;
    await held.renew();
    held.stop();
    expect(lost).toEqual(['a']);
  });

  test('C1: a dropped lease is no longer renewed', async () => {
    const renew = jest.fn(async (_holder: string, ids: readonly string[]) => ids);
    const held = leases(renew);
    held.hold('a', 1_000, fail);
    held.drop('a');
    await held.renew();
    held.stop();
    expect(renew).not.toHaveBeenCalled();
  });
});

function fail(): void {
  throw new Error('this lease was not to be lost');
}
