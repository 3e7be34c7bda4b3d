/** `soai task`: look at requests, cancel them, read their answers. */
import { Option } from 'commander';
import type { List, Task, TaskDetail } from '../../api/contract/management';
import { taskState } from '../../api/contract/management';
import { examples, type Register } from '../command';
import { CliError, EXIT } from '../exit-code';
import { answerText } from '../chat/answer-text';
import { visibleText } from '../output/visible';
import { watchTasks } from '../task/watch';
import { taskColumns, taskFields, taskTail } from '../task/view';
import { withPages, type PageOptions } from './list-options';

interface ListOptions extends PageOptions {
  readonly state?: string;
  readonly model?: string;
  readonly plugin?: string;
}

export const registerTask: Register = (program, bind) => {
  const task = program.command('task').description('Look at requests and cancel them');
  examples(task, 'soai task list --state running');

  const list = withPages(task.command('list').description('Show tasks, newest first'))
    .addOption(new Option('--state <state>', 'only those in this state').choices(taskState.options))
    .option('--model <name>', 'only those for this model')
    .option('--plugin <id>', 'only those of this plugin')
    .action(
      bind(async ({ api, print }, { state, model, plugin, limit, cursor }: ListOptions) => {
        const page = await api().get<List<Task>>('/api/v1/tasks', { state, model, plugin, limit, cursor });
        print.list(page, taskColumns(print, Date.now()));
      }),
    );
  examples(list, 'soai task list --state failed --limit 5', 'soai task list --output jsonl');

  const show = task
    .command('show')
    .description('Show one task with its attempts')
    .argument('<id>', 'task id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const detail = await api().get<TaskDetail>(`/api/v1/tasks/${encodeURIComponent(id)}`);
        print.record(detail, taskFields(detail), taskTail(detail, print));
      }),
    );
  examples(show, 'soai task show "$(soai task list -o json | jq -r .data[0].id)"');

  const watch = task
    .command('watch')
    .description('Follow tasks as they change')
    .argument('[id]', 'one task, until it ends; without it every task, until Ctrl-C')
    .addHelpText(
      'after',
      '\nWith --output json or jsonl each change is one JSON document on one line.\n' +
        'For one task the exit code is 0 when it completed and 1 when it did not.',
    )
    .action(bind((context, id: string | undefined) => watchTasks(context, id ?? null)));
  examples(watch, 'soai task watch');

  const cancel = task
    .command('cancel')
    .description('Cancel a task that has not ended')
    .argument('<id>', 'task id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const ended = await api().post<Task>(`/api/v1/tasks/${encodeURIComponent(id)}/cancel`);
        print.record(ended, taskFields(ended));
      }),
    );
  examples(cancel, 'soai task cancel "$(soai task list -o json | jq -r .data[0].id)"');

  const response = task
    .command('response')
    .description('Print the stored answer of a completed task')
    .argument('<id>', 'task id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const { text } = await api().text(`/api/v1/tasks/${encodeURIComponent(id)}/response`);
        if (print.format === 'table') return print.write(`${visibleText(answerText(text) ?? text).trimEnd()}\n`);
        const answer = parsed(text);
        if (print.format === 'json') print.json(answer);
        else print.line(answer);
      }),
    );
  examples(response, 'soai task response "$(soai task list -o json | jq -r .data[0].id)"');
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CliError(EXIT.failed, 'not_json', 'The stored answer is not JSON.', 'Print it as it is: --output table');
  }
}
