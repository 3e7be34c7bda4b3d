/** `npm start`'s last step: the server in the foreground (spec C8). */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { identify, isAlive } from '../../activities/temporal-server/process-identity';
import { fakeCheckout, setUp } from './fake-checkout';

let dir: string;
let launcher: ChildProcess;
let lines: AsyncIterator<string>;

beforeEach(async () => {
  dir = await fakeCheckout();
  await setUp(dir);
});

afterEach(async () => {
  launcher.kill('SIGKILL');
  await rm(dir, { recursive: true });
});

async function launch(...args: string[]): Promise<{ pid: number; first: string }> {
  const serve = pathToFileURL(join(dir, 'bin/setup/serve.mjs')).href;
  const script = `import(${JSON.stringify(serve)}).then((m) => m.serve(${JSON.stringify(args)})).then(process.exit)`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  launcher = child;
  const reader: Interface = createInterface({ input: child.stdout });
  lines = reader[Symbol.asyncIterator]();
  const first = await line();
  return { pid: Number(/pid (\d+)/.exec(first)?.[1]), first };
}

async function line(): Promise<string> {
  return ((await lines.next()) as IteratorResult<string, string>).value ?? '';
}

test('C8: arguments are passed on, and the exit code is mirrored', async () => {
  const { first } = await launch('--config', 'a b.yaml');
  expect(first).toContain('args ["--config","a b.yaml"]');
  launcher.kill('SIGTERM');
  expect(await once(launcher, 'exit')).toEqual([7, null]);
});

test('C8: one Ctrl-C, which npm repeats, is one signal to the server', async () => {
  const { pid } = await launch();
  const ended = once(launcher, 'exit');
  launcher.kill('SIGINT');
  launcher.kill('SIGINT');
  expect(await line()).toBe('SIGINT');
  await ended;
  expect(await line()).toBe('');
  expect(isAlive(identify(pid))).toBe(false);
});

test('C8: a second, later signal is passed on too', async () => {
  const { pid } = await launch('--stubborn');
  launcher.kill('SIGINT');
  expect(await line()).toBe('SIGINT');
  const second = (async () => line())();
  const again = setInterval(() => launcher.kill('SIGTERM'), 350);
  expect(await second).toBe('SIGTERM');
  clearInterval(again);
  process.kill(pid, 'SIGKILL');
  expect(await once(launcher, 'exit')).toEqual([137, null]);
});

test('C8: SIGKILL of the launcher stops the server in good order', async () => {
  await launch();
  launcher.kill('SIGKILL');
  expect(await line()).toBe('SIGTERM');
});
