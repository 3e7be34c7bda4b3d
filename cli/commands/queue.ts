/** `soai queue`. */
import type { List, QueueSnapshot, Task } from '../../api/contract/management';
import { examples, type Register } from '../command';
import type { Column } from '../output/table';
import { duration } from '../output/time';
import { withPages, type PageOptions } from './list-options';

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

  const list = withPages(queue.command('list').description('Show waiting tasks, next first, with their likely wait'))
    .addHelpText('after', '\nThe page holds the newest waiting tasks. The wait is an estimate.')
    .action(
      bind(async ({ api, print }, { limit, cursor }: PageOptions) => {
        const page = await api().get<List<Task>>('/api/v1/tasks', { state: 'queued', limit, cursor });
        print.list({ ...page, data: [...page.data].sort(byPosition) }, columns(Date.now()));
      }),
    );
  examples(list, 'soai queue list', 'soai queue list --limit 200 -o json');
};

/** Those that wait for a backoff have no place in the queue: they come last. */
function byPosition(a: Task, b: Task): number {
  return (a.queue_position ?? Infinity) - (b.queue_position ?? Infinity) || a.accepted_at - b.accepted_at;
}

const columns = (now: number): readonly Column<Task>[] => [
  { title: 'BEFORE IT', value: ({ queue_position: position }) => String(position ?? '-'), right: true },
  { title: 'ID', value: ({ id }) => id },
  { title: 'MODEL', value: ({ model }) => model, cut: true },
  { title: 'PRIORITY', value: ({ priority }) => priority },
  { title: 'OWNER', value: ({ owner }) => `${owner.kind} ${owner.id}`, cut: true },
  { title: 'WAITED', value: ({ accepted_at: at }) => duration(now - at), right: true },
  { title: 'WAIT, ABOUT', value: ({ estimated_wait_ms: wait }) => duration(wait), right: true },
];
