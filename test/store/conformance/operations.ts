import { now, processRow } from '../samples';
import { over, type OpenStore } from './subject';

export function operations(open: OpenStore): void {
  test(
    'C9: a store that is open answers a ping',
    over(open, async (store) => {
      await expect(store.ping()).resolves.toBeUndefined();
    }),
  );

  test(
    'C2: processes are known with their heartbeat and stop',
    over(open, async ({ processes }) => {
      await processes.register(processRow('p1'));
      await processes.register(processRow('p2', { startedAt: now + 1 }));
      await processes.heartbeat('p1', now + 10);
      await processes.stopped('p2', now + 11);
      await expect(processes.list()).resolves.toEqual([
        processRow('p1', { heartbeatAt: now + 10 }),
        processRow('p2', { startedAt: now + 1, stoppedAt: now + 11 }),
      ]);
    }),
  );

  test(
    'C4: lifecycle events are kept newest first, also within a millisecond',
    over(open, async ({ lifecycle }) => {
      for (const kind of ['started', 'unclean_start', 'check_passed']) await lifecycle.append(kind, { of: kind }, now);
      await expect(lifecycle.list(2)).resolves.toEqual([
        { kind: 'check_passed', detail: { of: 'check_passed' }, at: now },
        { kind: 'unclean_start', detail: { of: 'unclean_start' }, at: now },
      ]);
    }),
  );
}
