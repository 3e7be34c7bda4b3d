/** The command as a process: pipes, signals, exit codes. */
import { once } from 'node:events';
import { compileCli, outcomeOf, type CompiledCli } from './compiled-cli';
import { FakeApi, sse } from './fake-api';
import { emptyDirectory } from './run';
import * as sample from './samples';

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000);

let cli: CompiledCli;
let api: FakeApi;
const many = Array.from({ length: 5_000 }, (_, i) => ({ ...sample.task, id: `task_${i}` }));

beforeAll(async () => {
  const server = `
    const alive = setTimeout(() => undefined, 60_000);
    process.on('SIGTERM', () => { clearTimeout(alive); process.exitCode = 7; });
    console.log(JSON.stringify(process.argv.slice(2)));
  `;
  cli = compileCli('', server);
  api = await FakeApi.start({
    'GET /api/v1/tasks': { data: many, next_cursor: null },
    'GET /v1/models': { data: [{ id: 'm1' }] },
    'POST /v1/chat/completions': sse(
      [`data: ${JSON.stringify({ choices: [{ delta: { content: 'begun' } }] })}\n\n`],
      false,
    ),
  });
});

afterAll(async () => {
  await api.stop();
  cli.remove();
});

const options = (env: Record<string, string> = {}) => ({ cwd: emptyDirectory(), env: { SOAI_URL: api.url, ...env } });

test('J: a long answer reaches a pipe whole', async () => {
  const { code, stdout } = await cli.run(['task', 'list', '-o', 'jsonl'], options());
  expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, many.length]);
});

test('a reader that has seen enough ends the command quietly', async () => {
  const child = cli.spawn(['task', 'list', '-o', 'jsonl'], options());
  const outcome = outcomeOf(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await outcome;
  expect([code, stderr]).toEqual([0, '']);
});

test('A10: Ctrl-C during an answer is exit code 130', async () => {
  const child = cli.spawn(['chat', 'hello'], options());
  const outcome = outcomeOf(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGINT');
  expect(await outcome).toMatchObject({ code: 130, stdout: 'begun\n' });
});

test('J: start hands its flags to the server, passes SIGTERM on and ends with its exit code', async () => {
  const child = cli.spawn(['start', '--config', 'a.yaml', '--port', '9000', '--set', 'LOG.LEVEL=warn'], options());
  const outcome = outcomeOf(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGTERM');
  const { code, stdout } = await outcome;
  expect(JSON.parse(stdout)).toEqual(['--config', 'a.yaml', '--port', '9000', '--set', 'LOG.LEVEL=warn']);
  expect(code).toBe(7);
});

test('J: a usage fault and an unreachable server have their exit codes', async () => {
  expect((await cli.run(['tsk'], options())).code).toBe(2);
  expect((await cli.run(['status'], options({ SOAI_URL: 'http://127.0.0.1:9' }))).code).toBe(3);
  expect((await cli.run(['--version'], options())).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
