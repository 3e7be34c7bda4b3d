/** Tasks: list, look at, cancel, and read the stored answer (spec J, C7). */
import { z } from 'zod';
import type { TaskRecord } from '../../store/records';
import { TERMINAL_STATES } from '../../workflows/contract';
import type { Identity } from '../auth/identity';
import { permits } from '../auth/permissions';
import { task, taskDetail, taskState } from '../contract/management';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { listOf } from './lists';
import { type Route, route } from './route';
import type { TaskViews } from './task-view';

const taskQuery = z.strictObject({
  state: taskState.optional(),
  owner: z.string().min(1).max(128).optional().meta({ description: 'Id of an account, an automation or an API key.' }),
  plugin: z.string().min(1).max(128).optional(),
  model: z.string().min(1).max(512).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(512).optional(),
});

export function taskRoutes({ store, dispatcher }: ApiDeps, views: TaskViews): readonly Route[] {
  /** Somebody else's task looks exactly like none (S17, S19). */
  async function visible(identity: Identity, id: string | undefined): Promise<TaskRecord> {
    const record = id === undefined ? null : await store.tasks.get(id);
    if (!record || !mayTouch(identity, record)) throw new AppError('task_not_found');
    return record;
  }

  return [
    route({
      method: 'GET',
      path: '/tasks',
      permission: 'TASKS_READ',
      summary: 'List tasks, newest first',
      description: "Administrators see everybody's tasks, others their own account's.",
      query: taskQuery,
      response: listOf(task),
      errors: ['invalid_cursor'],
      async handler({ identity, query }) {
        const page = await store.tasks.list({
          state: query.state,
          ownerId: query.owner,
          accountId: permits(identity.account, 'ALL_ACCOUNTS') ? undefined : identity.account.id,
          pluginId: query.plugin,
          model: query.model,
          limit: query.limit,
          cursor: query.cursor,
        });
        return { data: await Promise.all(page.data.map((record) => views.task(record))), next_cursor: page.nextCursor };
      },
    }),
    route({
      method: 'GET',
      path: '/tasks/{id}',
      permission: 'TASKS_READ',
      summary: 'One task with its attempts, its plan and its workflow',
      response: taskDetail,
      errors: ['task_not_found'],
      async handler({ identity, params }) {
        const record = await visible(identity, params['id']);
        return views.detail(forEyesOf(identity, record), await store.tasks.attempts(record.id));
      },
    }),
    route({
      method: 'POST',
      path: '/tasks/{id}/cancel',
      permission: 'TASKS_CANCEL',
      summary: 'Cancel a task',
      description: 'Answers with the task as it is then; a running one ends within a second.',
      response: task,
      errors: ['task_not_found', 'task_already_ended'],
      async handler({ identity, params }) {
        const record = await visible(identity, params['id']);
        const asked = !hasEnded(record) && (await dispatcher.cancel(record.id, 'cancelled_by_user'));
        const now = asked || !hasEnded(record) ? await visible(identity, record.id) : record;
        if (!asked) throw alreadyEnded(now);
        return views.task(now);
      },
    }),
    route({
      method: 'GET',
      path: '/tasks/{id}/response',
      permission: 'TASKS_READ',
      summary: 'The stored answer of a completed task, as it was given',
      produces: 'application/json',
      errors: ['task_not_found', 'answer_not_available'],
      async handler({ ctx, identity, params }) {
        const record = await visible(identity, params['id']);
        const answer = record.state === 'completed' ? await store.tasks.answer(record.id) : null;
        if (!answer) throw new AppError('answer_not_available', { message: whyNoAnswer(record) });
        ctx.body = answer.text;
        ctx.set('content-type', answer.contentType);
      },
    }),
  ];
}

function mayTouch(identity: Identity, record: TaskRecord): boolean {
  return record.accountId === identity.account.id || permits(identity.account, 'ALL_ACCOUNTS');
}

/** D9: members the caller may not use are never named to them. */
function forEyesOf(identity: Identity, record: TaskRecord): TaskRecord {
  if (permits(identity.account, 'ALL_ACCOUNTS')) return record;
  return { ...record, plan: record.plan.filter(({ dropped }) => dropped !== 'not_permitted') };
}

function hasEnded(record: TaskRecord): boolean {
  return TERMINAL_STATES.includes(record.state);
}

function alreadyEnded(record: TaskRecord): AppError {
  return new AppError('task_already_ended', { message: `The task has ended already: it is ${record.state}.` });
}

function whyNoAnswer(record: TaskRecord): string {
  if (record.state === 'completed') return 'The answer of this task is not stored any more.';
  if (!hasEnded(record)) return `The task is ${record.state}; it has no answer yet.`;
  return `The task is ${record.state} (${record.reason ?? 'no reason recorded'}): ${record.sentence ?? 'it has no answer.'}`;
}
