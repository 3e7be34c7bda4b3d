/** `soai task watch`: follows the live events, survives a broken connection. */
import type { ServerResponse } from 'node:http';
import { Context } from '../../cli/context';
import { processTerminal } from '../../cli/terminal';
import { watchTasks } from '../../cli/task/watch';
import { FakeApi, refuse, sse, type Answer } from './fake-api';
import { run, start } from './run';
import * as sample from './samples';

const live = (id: string, state: string) =>
  `event: task\ndata: ${JSON.stringify({ type: 'task', task: { ...sample.task, id, state, reason: null } })}\n\n`;
const other = `event: queue\ndata: ${JSON.stringify({ type: 'queue', queue: sample.queue })}\n\n`;
const stateNow = (state: string) => ({ ...sample.taskDetail, state, reason: null });

const apis: FakeApi[] = [];
afterEach(async () => {
  for (const api of apis.splice(0)) await api.stop();
});

async function watching(events: Answer, current: Answer = stateNow('queued')) {
  const api = await FakeApi.start({ 'GET /api/v1/events': events, 'GET /api/v1/tasks/task_1': current });
  apis.push(api);
  return { api, env: { SOAI_URL: api.url } };
}

test.each([
  ['completed', 0],
  ['failed', 1],
  ['cancelled', 1],
])('J: watching one task until it is %s is exit code %d', async (state, exitCode) => {
  const { env } = await watching(
    sse([other, live('task_2', 'failed'), live('task_1', 'running'), live('task_1', state)], false),
  );
  const { code, stdout } = await run(['task', 'watch', 'task_1'], { env });
  expect(code).toBe(exitCode);
  const states = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/).slice(1, 3).join(' '));
  expect(states).toEqual(['task_1 queued', 'task_1 running', `task_1 ${state}`]);
});

test('a task that has ended already is shown and done', async () => {
  const { env } = await watching(sse([], false), stateNow('completed'));
  expect(await run(['task', 'watch', 'task_1'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('completed'),
  });
});

test('S8: a name that a client sent does not steer the terminal', async () => {
  const { env } = await watching(sse([], false), { ...stateNow('completed'), model: 'm\u001b[2J' });
  expect((await run(['task', 'watch', 'task_1'], { env })).stdout).toContain('m\\u001b[2J');
});

test('J: in JSON each change is a line, and what has not changed is none', async () => {
  const events = sse([live('task_1', 'queued'), live('task_1', 'completed')], false);
  const { env } = await watching(events);
  const { stdout } = await run(['task', 'watch', 'task_1', '-o', 'json'], { env });
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { state: string }).state),
  ).toEqual(['queued', 'completed']);
});

test('J: watching everything goes on until Ctrl-C, which is exit code 0', async () => {
  const { env } = await watching(sse([live('task_7', 'running')], false));
  const session = start(['task', 'watch'], { env });
  await session.shown('task_7');
  session.interrupt();
  expect((await session.outcome).code).toBe(0);
});

test('J: unknown, refused and unreachable keep their exit codes', async () => {
  const unknown = await watching(sse([], false), refuse(404, 'task_not_found', 'There is no such task.'));
  expect((await run(['task', 'watch', 'task_1'], { env: unknown.env })).code).toBe(5);
  const refused = await watching(refuse(403, 'insufficient_permissions', 'No.'));
  expect((await run(['task', 'watch'], { env: refused.env })).code).toBe(4);
  expect((await run(['task', 'watch', '--server', 'http://127.0.0.1:9'])).code).toBe(3);
});

describe('a connection that breaks', () => {
  const contextOf = (url: string) =>
    new Context({ ...processTerminal(), env: {}, stdout: process.stderr }, { server: url, output: 'jsonl' });
  const quiet = (context: Context) => {
    jest.spyOn(context.print, 'say').mockImplementation(() => undefined);
    return jest.spyOn(context.print, 'line').mockImplementation(() => undefined);
  };

  test('is made again, and the state that was missed is seen', async () => {
    let connections = 0;
    const { api } = await watching(
      (response: ServerResponse) => sse([live('task_1', 'running')], connections++ === 0 ? 'reset' : false)(response),
      (response: ServerResponse) => response.end(JSON.stringify(stateNow(connections < 2 ? 'queued' : 'completed'))),
    );
    const context = contextOf(api.url);
    const lines = quiet(context);
    expect(await watchTasks(context, 'task_1', [1, 1])).toBe(0);
    expect(lines.mock.calls.at(-1)?.[0]).toMatchObject({ state: 'completed' });
  });

  test('is given up when the server stays away', async () => {
    const { api } = await watching((response: ServerResponse) => {
      sse([live('task_1', 'running')])(response);
      response.once('finish', () => void api.stop());
    });
    const context = contextOf(api.url);
    quiet(context);
    await expect(watchTasks(context, null, [1, 1])).rejects.toMatchObject({ exitCode: 3 });
  });
});
