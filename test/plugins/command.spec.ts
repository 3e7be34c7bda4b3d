import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Adapter } from '../../plugins/adapter';
import { plugin } from '../../plugins/command';
import { checkSettings } from '../../plugins/manifest-settings';
import { startTimeOf } from '../../plugins/process/identity';
import { adapterOf, callOf, collect, eventsOf, temporaryDirectory, textOf, type LogLine } from './adapter-fixture';
import { upstream } from './local-upstream';

/** A server as a user would write one; its arguments are its script. */
const SERVER = `
const http = require('node:http');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const [port, mode, dataDir] = process.argv.slice(2);
console.log('started ' + process.pid + ' in ' + process.cwd());
fs.appendFileSync(dataDir + '/starts', process.pid + '\\n');
if (mode === 'dies') { console.error('no such model'); process.exit(3); }
if (mode === 'stubborn') {
  process.on('SIGTERM', () => {});
  fs.writeFileSync(dataDir + '/grandchild', String(spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']).pid));
}
if (mode !== 'deaf') http.createServer((request, response) => {
  if (request.url === '/health') return response.writeHead(mode === 'never' ? 503 : 200).end();
  if (request.url === '/v1/models') return response.end('{"data":[{"id":"m"}]}');
  if (request.url === '/v1/embeddings') process.exit(7);
  if (request.url === '/v1/completions') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"a":1}\\n\\n');
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ pid: process.pid, auth: request.headers.authorization, env: process.env }));
}).listen(Number(port), '127.0.0.1');
else setInterval(() => {}, 1000);
`;

const directory = temporaryDirectory();
const script = path.join(directory, 'server.js');
writeFileSync(script, SERVER);
const adapters: Adapter[] = [];

interface Made {
  readonly adapter: Adapter;
  readonly dataDir: string;
  readonly log: LogLine[];
}

function make(mode: string, settings: Record<string, unknown> = {}, dataDir = temporaryDirectory()): Made {
  const log: LogLine[] = [];
  const base = { COMMAND: process.execPath, ARGS: [script, '{port}', mode, '{data_dir}'], STOP_TIMEOUT_SEC: 5 };
  const adapter = adapterOf(plugin, { ...base, ...settings }, { dataDir, log });
  adapters.push(adapter);
  return { adapter, dataDir, log };
}

const starts = (dataDir: string): number[] =>
  readFileSync(path.join(dataDir, 'starts'), 'utf8').trim().split('\n').map(Number);

async function until(condition: () => boolean, limitMs = 5000): Promise<void> {
  for (let waited = 0; !condition(); waited += 10) {
    if (waited > limitMs) throw new Error('did not come true in time');
    await delay(10);
  }
}

afterEach(() => Promise.all(adapters.splice(0).map((one) => one.stop())));

describe('a server started by a command', () => {
  test('it starts at the first call, once for all of them, and stops', async () => {
    const { adapter, dataDir, log } = make('fine', { API_KEY: 'local-key' });
    expect(adapter.backend).toEqual({ state: 'stopped', detail: null });
    await adapter.ping(new AbortController().signal);
    expect(adapter.backend.state).toBe('stopped');
    const replies = await Promise.all(Array.from({ length: 5 }, () => adapter.call(callOf())));
    const answers = replies.map((reply) => JSON.parse(textOf(reply)) as { pid: number; auth: string });
    expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set(starts(dataDir)));
    expect(starts(dataDir)).toHaveLength(1);
    expect(answers[0]?.auth).toBe('Bearer local-key');
    expect(adapter.backend.state).toBe('running');
    await adapter.ping(new AbortController().signal);
    expect(await adapter.discover(new AbortController().signal)).toMatchObject([{ upstreamModel: 'm' }]);
    expect(log).toContainEqual(
      expect.objectContaining({ message: `started ${starts(dataDir)[0]} in ${dataDir}`, fields: { stream: 'stdout' } }),
    );
    await adapter.stop();
    expect(adapter.backend.state).toBe('stopped');
    expect(startTimeOf(starts(dataDir)[0] ?? 0)).toBeNull();
    expect(existsSync(path.join(dataDir, 'backend.pid'))).toBe(false);
  });

  test("S48: it gets its own variables and none of the server's secrets", async () => {
    process.env.SOAI__PLUGINS__0__SETTINGS__API_KEY = 'canary';
    process.env.DATABASE_URL = 'postgres://u:canary@h/d';
    const { adapter } = make('fine', { ENV: { CUDA_VISIBLE_DEVICES: '1' } });
    const { env } = JSON.parse(textOf(await adapter.call(callOf()))) as { env: Record<string, string> };
    delete process.env.SOAI__PLUGINS__0__SETTINGS__API_KEY;
    delete process.env.DATABASE_URL;
    expect(JSON.stringify(env)).not.toContain('canary');
    expect(env).toMatchObject({ CUDA_VISIBLE_DEVICES: '1', PATH: process.env.PATH });
  });

  test('S48: arguments are never read by a shell', async () => {
    const { adapter, dataDir } = make('fine', {
      ARGS: [script, '{port}', '$(touch pwned); `touch pwned` && touch pwned', '{data_dir}'],
    });
    await adapter.start();
    expect(starts(dataDir)).toHaveLength(1);
    expect(existsSync(path.join(dataDir, 'pwned'))).toBe(false);
  });

  test('T51: a start that fails says why, and the next one tries again', async () => {
    const { adapter, dataDir } = make('dies');
    await expect(adapter.start()).rejects.toMatchObject({ kind: 'transport' });
    expect(adapter.backend).toEqual({
      state: 'error',
      detail: 'The backend exited with code 3: started ' + starts(dataDir)[0] + ` in ${dataDir} | no such model`,
    });
    await expect(adapter.ping(new AbortController().signal)).rejects.toMatchObject({ kind: 'transport' });
    await expect(adapter.call(callOf())).rejects.toMatchObject({ kind: 'transport' });
    expect(starts(dataDir)).toHaveLength(2);
  });

  test('a program that is not there is a configuration failure', async () => {
    const { adapter } = make('fine', { COMMAND: '/no/such/program' });
    await expect(adapter.call(callOf())).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining('ENOENT'),
    });
    expect(adapter.backend.state).toBe('error');
    const notExecutable = path.join(directory, 'not-executable');
    writeFileSync(notExecutable, 'x');
    chmodSync(notExecutable, 0o600);
    await expect(make('fine', { COMMAND: notExecutable }).adapter.start()).rejects.toMatchObject({
      kind: 'configuration',
    });
  });

  test.each(['never', 'deaf'])('G9: one that never gets ready (%s) is ended at the start time-out', async (mode) => {
    const { adapter, dataDir } = make(mode, { START_TIMEOUT_SEC: 0.7 });
    await expect(adapter.start()).rejects.toMatchObject({ kind: 'timeout' });
    expect(adapter.backend.state).toBe('error');
    expect(startTimeOf(starts(dataDir)[0] ?? 0)).toBeNull();
  });

  test('stop() while it starts abandons the start', async () => {
    const { adapter, dataDir } = make('deaf');
    const starting = adapter.start();
    starting.catch(() => undefined);
    await until(() => existsSync(path.join(dataDir, 'starts')));
    await adapter.stop();
    await expect(starting).rejects.toMatchObject({ kind: 'aborted' });
    expect(adapter.backend.state).toBe('stopped');
    expect(startTimeOf(starts(dataDir)[0] ?? 0)).toBeNull();
  });

  test('T69: a caller that leaves while it starts does not stop the start', async () => {
    const { adapter } = make('fine');
    const leaving = new AbortController();
    const call = adapter.call(callOf({ signal: leaving.signal }));
    leaving.abort();
    await expect(call).rejects.toMatchObject({ kind: 'aborted' });
    await adapter.start();
    expect(adapter.backend.state).toBe('running');
  });

  test('C16: its end in the middle of a call is a transport failure, noticed at once; the next call restarts it', async () => {
    const { adapter, dataDir } = make('fine');
    await adapter.start();
    await expect(adapter.call(callOf({ operation: 'embeddings' }))).rejects.toMatchObject({ kind: 'transport' });
    await until(() => adapter.backend.state === 'error', 1000);
    expect(adapter.backend.detail).toContain('exited with code 7');
    expect(JSON.parse(textOf(await adapter.call(callOf())))).toHaveProperty('pid', starts(dataDir)[1]);
  });

  test('C16: kill -9 in the middle of a stream', async () => {
    const { adapter, dataDir } = make('fine');
    const reply = await adapter.call(callOf({ operation: 'completions', stream: true }));
    const iterator = eventsOf(reply)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ data: '{"a":1}' });
    const next = iterator.next();
    process.kill(starts(dataDir)[0] ?? 0, 'SIGKILL');
    await expect(next).rejects.toMatchObject({ kind: 'transport' });
    await until(() => adapter.backend.state === 'error', 1000);
  });

  test('one that ignores TERM is killed with its children', async () => {
    const { adapter, dataDir } = make('stubborn', { STOP_TIMEOUT_SEC: 0.2 });
    await adapter.start();
    const grandchild = Number(readFileSync(path.join(dataDir, 'grandchild'), 'utf8'));
    expect(startTimeOf(grandchild)).not.toBeNull();
    await Promise.all([adapter.stop(), adapter.stop()]);
    expect(startTimeOf(starts(dataDir)[0] ?? 0)).toBeNull();
    await until(() => startTimeOf(grandchild) === null);
  });

  test('C16: an orphan of an earlier run is killed at the next start', async () => {
    const dataDir = temporaryDirectory();
    const orphan = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    const pid = orphan.pid ?? 0;
    writeFileSync(path.join(dataDir, 'backend.pid'), JSON.stringify({ pid, start: startTimeOf(pid) }));
    const { adapter, log } = make('fine', {}, dataDir);
    await adapter.start();
    expect(startTimeOf(pid)).toBeNull();
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining(String(pid)) }),
    );
  });

  test.each([
    ['with the same id but a later start', (pid: number) => JSON.stringify({ pid, start: '1' })],
    ['named by a damaged file', (pid: number) => `{"pid":${pid}`],
    ['named by nonsense', () => JSON.stringify({ pid: -1, start: '1' })],
  ])('C16: a stranger %s is left alone', async (_name, content) => {
    const dataDir = temporaryDirectory();
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
    });
    writeFileSync(path.join(dataDir, 'backend.pid'), content(stranger.pid ?? 0));
    try {
      await make('fine', {}, dataDir).adapter.start();
      expect(startTimeOf(stranger.pid ?? 0)).not.toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  test('T51: a taken port is told, not mistaken for a healthy backend', async () => {
    const stranger = await upstream((_request, response) => response.end('{}'));
    const { adapter } = make('fine', { PORT: stranger.port });
    await expect(adapter.start()).rejects.toMatchObject({
      kind: 'configuration',
      message: expect.stringContaining(String(stranger.port)),
    });
    await stranger.close();
    await adapter.start();
    expect(adapter.backend.state).toBe('running');
  });

  test('ten starts and stops leave nothing running', async () => {
    const { adapter, dataDir } = make('fine');
    for (let round = 0; round < 10; round += 1) {
      await adapter.start();
      await adapter.stop();
    }
    expect(starts(dataDir)).toHaveLength(10);
    expect(starts(dataDir).map(startTimeOf)).toEqual(Array.from({ length: 10 }, () => null));
  }, 30_000);

  test('a stream is read like any other', async () => {
    const { adapter } = make('fine');
    const leaving = new AbortController();
    const reply = await adapter.call(callOf({ operation: 'completions', stream: true, signal: leaving.signal }));
    const reading = collect(reply);
    leaving.abort();
    await expect(reading).rejects.toMatchObject({ kind: 'aborted' });
  });
});

describe('settings of command', () => {
  const faultsOf = (settings: Record<string, unknown>): readonly string[] => {
    const checked = checkSettings(plugin.manifest, settings);
    return checked.valid ? [] : checked.faults.map(({ setting, message }) => `${setting}: ${message}`);
  };

  test.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'LD_AUDIT',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'node_options',
    'BASH_ENV',
    'A=B',
    '',
  ])('S48: ENV %j is refused', (name) => {
    expect(faultsOf({ COMMAND: 'x', ENV: { [name]: 'y' } })).toEqual([expect.stringMatching(/^ENV/)]);
  });

  test('J: every fault at once', () => {
    const faults = faultsOf({
      ARGS: ['{model}', '{ports}', 'a\0b'],
      PORT: 70_000,
      HEALTH_PATH: 'health',
      CWD: 'relative',
      SHELL: true,
    });
    for (const name of ['COMMAND', 'ARGS.2', 'PORT', 'HEALTH_PATH', 'CWD', 'SHELL']) {
      expect(faults).toContainEqual(expect.stringMatching(new RegExp(`^${name}: `)));
    }
    expect(faultsOf({ COMMAND: 'x', ARGS: ['{model}', '{ports}'] })).toEqual([
      'ARGS.0: {model} needs MODEL',
      'ARGS.1: {ports} is unknown; there are {port}, {model} and {data_dir}',
    ]);
    expect(faultsOf({ COMMAND: 'x', ARGS: ['{"json":1}', '{model}'], MODEL: 'm' })).toEqual([]);
  });
});
