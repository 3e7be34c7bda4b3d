import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endProcess, identify, isAlive } from './process-identity';

function runNode(script: string) {
  return spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('fault K: a reused pid is not the process that was recorded', () => {
  const me = identify(process.pid);
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ pid: me.pid, start: `${me.start}0` })).toBe(false);
  expect(isAlive({ pid: me.pid, start: null })).toBe(false);
});

test('a process that obeys TERM is not killed', async () => {
  const child = runNode('process.on("SIGTERM", () => process.exit(7)); console.log("on"); setInterval(() => {}, 1000)');
  await once(child.stdout, 'data');
  const exit = once(child, 'exit');
  await endProcess(identify(child.pid!), 10_000);
  expect(await exit).toEqual([7, null]);
});

test('a process that ignores TERM is killed after the grace', async () => {
  const child = runNode('process.on("SIGTERM", () => {}); console.log("on"); setInterval(() => {}, 1000)');
  await once(child.stdout, 'data');
  const exit = once(child, 'exit');
  await endProcess(identify(child.pid!), 50);
  expect(await exit).toEqual([null, 'SIGKILL']);
});
