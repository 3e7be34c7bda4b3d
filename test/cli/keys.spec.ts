/** `soai key`, over the API and on the data directory (spec J). */
import { compileCli, type CompiledCli } from './compiled-cli';
import { FakeApi, json, refuse } from './fake-api';
import { emptyDirectory, run, start } from './run';
import * as sample from './samples';

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000);

describe('with a server', () => {
  let api: FakeApi;
  let env: Record<string, string>;

  beforeAll(async () => {
    api = await FakeApi.start({
      'POST /api/v1/keys': json(201, sample.createdKey),
      'GET /api/v1/keys': sample.page(sample.key, { ...sample.key, id: 'key_2', revoked_at: 1 }),
      'DELETE /api/v1/keys/key_1': { ...sample.key, revoked_at: 2 },
      'DELETE /api/v1/keys/key_9': refuse(404, 'key_not_found', 'There is no such API key.'),
    });
    env = { SOAI_URL: api.url, SOAI_API_KEY: 'sk-test' };
  });
  afterAll(() => api.stop());

  test('J: create prints the key alone on stdout, the talk on stderr', async () => {
    const { code, stdout, stderr } = await run(['key', 'create', 'laptop', '--user', 'ops'], { env });
    expect([code, stdout]).toEqual([0, 'sk-soai-abcdef\n']);
    expect(stderr).not.toContain('sk-soai-abcdef');
    expect(api.asked.at(-1)).toMatchObject({ method: 'POST', body: { name: 'laptop', account: 'ops' } });
  });

  test('J: create -o json prints {"key": …} once', async () => {
    const { stdout, stderr } = await run(['key', 'create', 'laptop', '-o', 'json'], { env });
    expect([JSON.parse(stdout), stderr]).toEqual([sample.createdKey, '']);
    expect(api.asked.at(-1)).toMatchObject({ body: { account: 'admin' } });
  });

  test('J: list tells live from revoked, and never a whole key', async () => {
    const { stdout } = await run(['key', 'list'], { env });
    expect(stdout).toMatch(/key_1 .*sk-soai-ab… +live/);
    expect(stdout).toMatch(/key_2 .*revoked/);
  });

  test('J: revoke asks on a terminal, and not in a script', async () => {
    expect(await run(['key', 'revoke', 'key_1'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('key_1'),
    });
    const count = api.asked.length;
    const no = start(['key', 'revoke', 'key_1'], { env, tty: true, input: null });
    await no.shown('[y/N]');
    no.stdin.write('n\n');
    expect(await no.outcome).toMatchObject({ code: 4, stdout: '' });
    expect((await run(['key', 'revoke', 'key_1'], { env, tty: true, input: '' })).code).toBe(4);
    expect(api.asked).toHaveLength(count);
    expect((await run(['key', 'revoke', 'key_1'], { env, tty: true, input: 'y\n' })).code).toBe(0);
    expect((await run(['key', 'revoke', 'key_1', '--yes'], { env, tty: true, input: null })).code).toBe(0);
    expect((await run(['key', 'revoke', 'key_9'], { env })).code).toBe(5);
  });

  test('J: a named server that is away is exit code 3, not the data directory', async () => {
    expect((await run(['key', 'create', 'x', '--server', 'http://127.0.0.1:9'])).code).toBe(3);
  });
});

describe('without a server', () => {
  let cli: CompiledCli;

  /** Stands for dist/api/offline.js: says what it was asked, or fails as told. */
  beforeAll(() => {
    cli = compileCli(`
      const args = process.argv.slice(2);
      const at = args.indexOf('--');
      const name = at === -1 ? null : args[at + 1];
      if (name === 'refused') {
        console.error(JSON.stringify({ error: { code: 'unclean_shutdown', message: 'Not checked yet.', hint: 'Start SoAI once.' } }));
        process.exit(4);
      }
      if (name === 'crash') throw new Error('boom');
      const answers = {
        create: { key: 'sk-soai-offline', id: 'key_1', name, account: 'admin', args, port: process.env.SOAI__SERVER__PORT },
        list: { data: [], next_cursor: null, args },
        revoke: { id: name, revoked: true, args },
      };
      console.log(JSON.stringify(answers[args[1]]));
    `);
  });
  afterAll(() => cli.remove());

  const offline = (...argv: string[]) => cli.run(argv, { cwd: emptyDirectory(), env: {} });

  test('J: create works on the data directory, with the settings of this command', async () => {
    const { code, stdout } = await offline(
      'key',
      'create',
      '--user',
      'ops',
      '-o',
      'json',
      '--set',
      'SERVER.PORT=7',
      '--config',
      '/dev/null',
      '--',
      '-x',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      key: 'sk-soai-offline',
      args: ['key', 'create', '--config', '/dev/null', '--account', 'ops', '--json', '--', '-x'],
      port: '7',
    });
    expect((await offline('key', 'create', 'laptop')).stdout).toBe('sk-soai-offline\n');
  });

  test('J: list and revoke work on it too', async () => {
    expect(await offline('key', 'list')).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing to show.\n' });
    expect(JSON.parse((await offline('key', 'revoke', 'key_1', '-o', 'json')).stdout)).toEqual({
      id: 'key_1',
      revoked: true,
    });
  });

  test('C4: a refusal keeps its exit code, code and hint', async () => {
    const { code, stderr } = await offline('key', 'create', 'refused', '-o', 'json');
    expect([code, JSON.parse(stderr)]).toEqual([
      4,
      { error: { code: 'unclean_shutdown', message: 'Not checked yet.', hint: 'Start SoAI once.' } },
    ]);
  });

  test('a crash of it is exit code 1', async () => {
    expect(await offline('key', 'create', 'crash')).toMatchObject({ code: 1, stderr: expect.stringContaining('boom') });
  });

  test('J: settings at fault are exit code 2, and nothing is asked', async () => {
    const { code, stderr } = await offline('key', 'create', 'x', '--set', 'SERVER.PROT=1');
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean PORT?')]);
  });
});
