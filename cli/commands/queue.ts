/** `soai queue`. */
import type { QueueSnapshot } from '../../api/contract/management';
import { examples, type Register } from '../command';
import { duration } from '../output/time';

export const registerQueue: Register = (program, bind) => {
  const queue = program.command('queue').description('Look at the ready queue');
  examples(queue, 'soai queue status');

  const status = queue
    .command('status')
    .description('Show what waits, what runs and how long the oldest has waited')
    .action(
      bind(async ({ api, print }) => {
        const snapshot = await api().get<QueueSnapshot>('/api/v1/queue');
        const { high, standard, flex } = snapshot.by_priority;
        print.record(snapshot, [
          ['Waiting', `${snapshot.waiting} of ${snapshot.capacity} places`],
          ['By priority', `${high} high, ${standard} standard, ${flex} flex`],
          ['Oldest', duration(snapshot.oldest_wait_ms)],
          ['Running', String(snapshot.running)],
          ['Deferred', String(snapshot.deferred)],
        ]);
      }),
    );
  examples(status, 'soai queue status', 'soai queue status --output json');
};
