/** POST /v1/responses/{id}/cancel and DELETE /v1/responses/{id}. */
import type { TaskRecord } from '../../../store/records';
import type { ResponseObject } from '../../../workflows/rules/responses/response-object';
import { AppError } from '../../errors/app-error';
import type { Context } from '../../state';
import type { ResponsesDeps } from './deps';

/** How long an answer to a cancellation waits for the run to end; it does so within a second (A10). */
const ENDING_MS = 5_000;

/** Repeating it is harmless. */
export async function cancelResponse(ctx: Context, deps: ResponsesDeps, id: string): Promise<ResponseObject> {
  const { task } = await deps.responses.find(ctx.state.identity!.account.id, id);
  if (!task.background) {
    throw new AppError('invalid_value', {
      message: 'Only a response that was created with "background": true can be cancelled.',
    });
  }
  return deps.responses.object({ task: await ended(deps, task) });
}

/** Its content is gone when this resolves. A running one is cancelled first. */
export async function deleteResponse(ctx: Context, deps: ResponsesDeps, id: string): Promise<object> {
  const { record, task } = await deps.responses.find(ctx.state.identity!.account.id, id);
  await ended(deps, task);
  await deps.store.responses.erase(record.id);
  return { id: record.id, object: 'response', deleted: true };
}

/** Cancels it unless it has ended; the task once it has, or as it is when that takes too long. */
async function ended(deps: ResponsesDeps, task: TaskRecord): Promise<TaskRecord> {
  if (task.finishedAt !== null) return task;
  const end = endOf(deps, task.id);
  await deps.dispatcher.cancel(task.id, 'cancelled');
  await end;
  return (await deps.store.tasks.get(task.id)) ?? task;
}

function endOf({ feed, store }: ResponsesDeps, taskId: string): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      off();
      clearTimeout(timer);
      resolve();
    };
    const look = async (): Promise<void> => {
      const task = await store.tasks.get(taskId).catch(() => null);
      if (task && task.finishedAt !== null) done();
    };
    const off = feed.subscribe((changed) => changed === taskId && void look());
    const timer = setTimeout(done, ENDING_MS);
  });
}
