/** Tasks as tables and records. */
import type { Attempt, Task, TaskDetail } from '../../api/contract/management';
import type { Printer } from '../output/printer';
import { colourOf } from '../output/states';
import { table, type Column } from '../output/table';
import { duration, instant } from '../output/time';

export function taskColumns(print: Printer, now: number): readonly Column<Task>[] {
  return [
    { title: 'ID', value: ({ id }) => id },
    { title: 'STATE', value: ({ state }) => state, paint: stateColour(print) },
    { title: 'REASON', value: ({ reason }) => reason ?? '-', cut: true },
    { title: 'MODEL', value: ({ model }) => model, cut: true },
    { title: 'SERVED BY', value: servedBy, cut: true },
    { title: 'TOOK', value: (task) => duration(took(task, now)), right: true },
    { title: 'AGE', value: ({ accepted_at: at }) => duration(now - at), right: true },
  ];
}

export function stateColour(print: Printer) {
  return (cell: string): string => {
    const colour = colourOf(cell);
    return colour === null ? cell : print.paint(colour, cell);
  };
}

export function taskFields(task: Task): [string, string][] {
  return [
    ['ID', task.id],
    ['State', task.state],
    ...(task.reason === null ? [] : ([['Reason', task.reason]] as [string, string][])),
    ...(task.message === null ? [] : ([['Message', task.message]] as [string, string][])),
    ['Model', task.model],
    ['Served by', servedBy(task)],
    ['Operation', `${task.operation}${task.stream ? ', streamed' : ''}${task.background ? ', background' : ''}`],
    ['Owner', `${task.owner.kind} ${task.owner.id} of ${task.account}`],
    ['Priority', task.priority],
    ['Accepted', instant(task.accepted_at)],
    ['Started', instant(task.started_at)],
    ['Finished', instant(task.finished_at)],
    ['Deadline', instant(task.deadline_at)],
    ['Queued for', duration(task.queue_ms)],
    ['First token', duration(task.first_token_ms)],
    ['Tokens a second', task.tokens_per_second === null ? '-' : task.tokens_per_second.toFixed(1)],
    ['Tokens', tokens(task)],
    ...(task.queue_position === null ? [] : ([['Before it', String(task.queue_position)]] as [string, string][])),
    ...(task.estimated_wait_ms === null
      ? []
      : ([['Wait, about', duration(task.estimated_wait_ms)]] as [string, string][])),
    ['Request ID', task.request_id],
    ['Console', task.console_url ?? '-'],
  ];
}

/** The plan and the attempts, as tables below the record. */
export function taskTail({ plan, attempts }: TaskDetail, print: Printer): string {
  const planned = table(
    plan,
    [
      { title: 'PLAN', value: ({ model }) => model },
      { title: 'PLUGIN', value: ({ plugin }) => plugin },
      { title: 'DROPPED', value: ({ dropped }) => dropped ?? '-' },
    ],
    null,
  );
  return `\n${planned}\n${attempts.length === 0 ? 'No attempts yet.\n' : table(attempts, attemptColumns(print), null)}`;
}

function attemptColumns(print: Printer): readonly Column<Attempt>[] {
  return [
    { title: 'ATTEMPT', value: ({ number }) => String(number), right: true },
    { title: 'MODEL', value: ({ model }) => model },
    { title: 'PLUGIN', value: ({ plugin }) => plugin },
    { title: 'OUTCOME', value: ({ outcome }) => outcome, paint: stateColour(print) },
    { title: 'HTTP', value: ({ http_status: status }) => String(status ?? '-'), right: true },
    { title: 'CODE', value: ({ code }) => code ?? '-' },
    { title: 'WAIT', value: ({ retry_delay_ms: wait }) => duration(wait), right: true },
    { title: 'MESSAGE', value: ({ message }) => message ?? '-' },
  ];
}

export function servedBy({ served_by: target }: Task): string {
  return target === null ? '-' : `${target.model}@${target.plugin}`;
}

function took({ started_at: from, finished_at: to }: Task, now: number): number | null {
  return from === null ? null : (to ?? now) - from;
}

function tokens({ usage }: Task): string {
  if (usage === null) return '-';
  return `${usage.prompt_tokens ?? '?'} in, ${usage.completion_tokens ?? '?'} out`;
}
