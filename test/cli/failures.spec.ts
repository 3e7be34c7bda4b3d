/** Exit codes: 0 ok, 1 failed, 2 usage, 3 not reachable, 4 refused, 5 not found (spec J). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeApi, json, refuse } from './fake-api';
import { emptyDirectory, run } from './run';
import * as sample from './samples';

const answering = async (answer: Parameters<typeof FakeApi.start>[0]['x'], argv: string[], env = {}) => {
  const api = await FakeApi.start({ 'GET /api/v1/queue': answer });
  const outcome = await run(argv, { env: { SOAI_URL: api.url, ...env } });
  await api.stop();
  return { ...outcome, api };
};

test.each([
  [401, 4],
  [403, 4],
  [404, 5],
  [409, 4],
  [400, 1],
  [500, 1],
  [503, 1],
])('J: HTTP %d is exit code %d, with the message and the hint', async (status, exitCode) => {
  const answer = refuse(status, 'some_code', 'Some sentence.', 'Some advice.');
  const { code, stdout, stderr } = await answering(answer, ['queue', 'status'], { SOAI_API_KEY: 'k' });
  expect([code, stdout, stderr]).toEqual([exitCode, '', 'soai: Some sentence.\n  Some advice.\n']);
  const asJson = await answering(answer, ['queue', 'status', '-o', 'json'], { SOAI_API_KEY: 'k' });
  expect(JSON.parse(asJson.stderr)).toEqual({
    error: { code: 'some_code', message: 'Some sentence.', hint: 'Some advice.' },
  });
});

test('J: without a key a 401 says which variable to set', async () => {
  const { stderr } = await answering(refuse(401, 'not_signed_in', 'Sign in first.'), ['queue', 'status']);
  expect(stderr).toContain('Set SOAI_API_KEY');
});

test.each([
  ['an HTML error page', (r: import('node:http').ServerResponse) => void r.writeHead(502).end('<html>'), 'HTTP 502'],
  [
    'a page that is no JSON',
    (r: import('node:http').ServerResponse) => void r.end('<html>'),
    'does not answer like a SoAI',
  ],
])('J: %s is exit code 1', async (_name, answer, words) => {
  const { code, stderr } = await answering(answer, ['queue', 'status']);
  expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
});

test('S3: a redirect is not followed, so the key goes nowhere else', async () => {
  const elsewhere = await FakeApi.start({ 'GET /api/v1/queue': sample.queue });
  const answer = (r: import('node:http').ServerResponse) =>
    void r.writeHead(302, { location: `${elsewhere.url}/api/v1/queue` }).end();
  const { code } = await answering(answer, ['queue', 'status'], { SOAI_API_KEY: 'k' });
  expect([code, elsewhere.asked]).toEqual([1, []]);
  await elsewhere.stop();
});

test('J: a server that cannot be reached is exit code 3', async () => {
  const gone = await FakeApi.start({});
  const { url } = gone;
  await gone.stop();
  const { code, stderr } = await run(['queue', 'status', '--server', url]);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`${url} cannot be reached (ECONNREFUSED)`)]);
});

test('J: a connection that breaks before the answer is exit code 3', async () => {
  const { code } = await answering((r: import('node:http').ServerResponse) => void r.destroy(), ['queue', 'status']);
  expect(code).toBe(3);
});

describe('finding the running server', () => {
  const withRunFile = (content: object | string) => {
    const cwd = emptyDirectory();
    mkdirSync(join(cwd, 'data/run'), { recursive: true });
    writeFileSync(join(cwd, 'soai.yaml'), 'SYSTEM: { PATHS: { SYSTEM_DATA: ./data } }');
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(cwd, 'data/run/server.json'), text);
    return cwd;
  };
  const file = { pid: process.pid, pid_start: null, started_at: 1, operator_token: 'op-token', version: '0.1.0' };

  test('J: its address file gives the address and the operator token', async () => {
    const api = await FakeApi.start({ 'GET /api/v1/queue': sample.queue });
    const cwd = withRunFile({ ...file, api: api.url });
    expect((await run(['queue', 'status'], { cwd })).code).toBe(0);
    expect(api.asked[0]?.authorization).toBe('Bearer op-token');
    await run(['queue', 'status'], { cwd, env: { SOAI_API_KEY: 'mine' } });
    expect(api.asked[1]?.authorization).toBe('Bearer mine');
    await api.stop();
  });

  test('the operator token is never sent to an address given by hand', async () => {
    const api = await FakeApi.start({ 'GET /api/v1/queue': sample.queue });
    const cwd = withRunFile({ ...file, api: 'http://127.0.0.1:9' });
    await run(['queue', 'status', '--server', `${api.url}/`], { cwd });
    expect(api.asked[0]).toMatchObject({ url: '/api/v1/queue', authorization: null });
    await api.stop();
  });

  test.each([
    ['of a process that is gone', { ...file, pid: 2 ** 30, api: 'http://127.0.0.1:9' }],
    ['whose pid another process has now', { ...file, pid_start: '1', api: 'http://127.0.0.1:9' }],
    ['that is damaged', '{'],
    ['of another form', { pid: 1 }],
  ])('J: an address file %s counts as none: exit code 3', async (_name, content) => {
    const { code, stderr } = await run(['queue', 'status'], { cwd: withRunFile(content) });
    expect([code, stderr]).toEqual([3, expect.stringContaining('No server is running for the data directory')]);
  });
});

test.each([
  [['tsk']],
  [['task']],
  [[]],
  [['task', 'list', '--state', 'odd']],
  [['task', 'list', '--limit', '0']],
  [['task', 'list', '--limit', 'many']],
  [['task', 'show']],
  [['status', '--sever', 'x']],
  [['status', '-o', 'xml']],
  [['status', '--server', 'ftp://x']],
  [['status', '--server', 'http://user:canary@host']],
  [['completion', 'tcsh']],
  [['status', '--set', 'SERVER.PROT=1']],
  [['status', '--config', 'nowhere.yaml']],
])('J: soai %j is a usage fault: exit code 2, nothing on stdout', async (argv) => {
  const { code, stdout, stderr } = await run(argv);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).not.toBe('');
  expect(stderr).not.toContain('canary');
});

test('J: a mistyped command gets a suggestion', async () => {
  expect((await run(['task', 'lst'])).stderr).toContain('Did you mean list?');
});

test('a defect is reported with exit code 1, not as a crash', async () => {
  const { code, stderr } = await answering(json(200, null), ['queue', 'status']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('unexpected failure')]);
});

test.each([
  [['--preload', 'maybe'], 'yes, no'],
  [['--max-concurrent-tasks', 'many'], 'whole number'],
  [['--idle-unload-sec', ''], 'number of seconds'],
])('J: plugin set %j is a usage error, and nothing is sent', async (given, told) => {
  const { code, stderr, api } = await answering(200 as never, ['plugin', 'set', 'p', ...given], { SOAI_API_KEY: 'k' });
  expect(code).toBe(2);
  expect(stderr).toContain(told);
  expect(api.asked).toEqual([]);
});
