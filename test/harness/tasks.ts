/** Waits for tasks by the live events, so that nothing has to be polled. */
import type { List, Task } from '../../api/contract/management';
import { get } from './client';
import type { Soai } from './soai';
import { follow } from './sse';

const WITHIN_MS = 30_000;

export const ENDED: readonly Task['state'][] = ['completed', 'failed', 'cancelled'];

/** The first task of this model that `matches`, now or later. */
export async function untilTask(soai: Soai, model: string, matches: (task: Task) => boolean): Promise<Task> {
  const leave = AbortSignal.timeout(WITHIN_MS);
  const done = new AbortController();
  const events = await fetch(`${soai.url}/api/v1/events`, {
    headers: { authorization: `Bearer ${soai.key}` },
    signal: AbortSignal.any([leave, done.signal]),
  });
  try {
    const { data } = await get<List<Task>>(soai, `/api/v1/tasks?model=${encodeURIComponent(model)}`);
    const found = data.find(matches);
    if (found) return found;
    for await (const { event, data: text } of follow(events)) {
      if (event !== 'task') continue;
      const { task } = JSON.parse(text) as { task: Task };
      if (task.model === model && matches(task)) return task;
    }
    throw new Error('the live events ended');
  } catch (cause) {
    throw new Error(`no task of ${model} was as awaited`, { cause });
  } finally {
    done.abort();
  }
}

/** This task once it has ended. */
export const ended = (soai: Soai, model: string, id: string): Promise<Task> =>
  untilTask(soai, model, (task) => task.id === id && ENDED.includes(task.state));

/** The one (next) task of this model once it has ended; for models that one test has to itself. */
export const endedOf = (soai: Soai, model: string): Promise<Task> =>
  untilTask(soai, model, (task) => ENDED.includes(task.state));
