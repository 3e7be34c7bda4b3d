/** `soai workflow`: the Temporal workflow behind each task (spec A8: its id is the task id). */
import type { List, SystemInfo, Task, TaskDetail } from '../../api/contract/management';
import { examples, type Register } from '../command';
import type { Printer } from '../output/printer';
import type { Column } from '../output/table';
import { instant } from '../output/time';
import { stateColour } from '../task/view';
import { shellCommand } from '../workflow/shell-command';
import { withPages, type PageOptions } from './list-options';

export const registerWorkflow: Register = (program, bind) => {
  const workflow = program.command('workflow').description('Look at the Temporal workflows behind tasks');
  examples(workflow, 'soai workflow list');

  const list = withPages(workflow.command('list').description('Show workflows, newest first')).action(
    bind(async ({ api, print }, { limit, cursor }: PageOptions) => {
      const page = await api().get<List<Task>>('/api/v1/tasks', { limit, cursor });
      const data = page.data.map(({ id, state, console_url }) => ({ workflow_id: id, state, console_url }));
      print.list({ data, next_cursor: page.next_cursor }, columns(print));
    }),
  );
  examples(list, 'soai workflow list --limit 5');

  const describe = workflow
    .command('describe')
    .description('Show a workflow, the same as a temporal command, and its console page')
    .argument('<id>', 'workflow id, which is the task id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const client = api();
        const task = await client.get<TaskDetail>(`/api/v1/tasks/${encodeURIComponent(id)}`);
        const { engine } = await client.get<SystemInfo>('/api/v1/system/info');
        const { workflow: target, state, console_url: consoleUrl } = task;
        const command = shellCommand('temporal', 'workflow', 'describe', {
          'workflow-id': target.id,
          namespace: target.namespace,
          address: engine.address,
        });
        print.record({ workflow: target, state, attempts: task.attempts.length, command, console_url: consoleUrl }, [
          ['Workflow', target.id],
          ['Namespace', target.namespace],
          ['Task state', state],
          ['Accepted', instant(task.accepted_at)],
          ['Finished', instant(task.finished_at)],
          ['Attempts', String(task.attempts.length)],
          ['Command', command],
          ['Console', consoleUrl ?? '-'],
        ]);
      }),
    );
  examples(describe, 'soai workflow describe "$(soai task list -o json | jq -r .data[0].id)"');
};

interface Row {
  readonly workflow_id: string;
  readonly state: string;
  readonly console_url: string | null;
}

function columns(print: Printer): readonly Column<Row>[] {
  return [
    { title: 'WORKFLOW', value: ({ workflow_id: id }) => id },
    { title: 'STATE', value: ({ state }) => state, paint: stateColour(print) },
    { title: 'CONSOLE', value: ({ console_url: url }) => url ?? '-', cut: true },
  ];
}
