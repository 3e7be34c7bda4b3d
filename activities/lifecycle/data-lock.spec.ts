import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { identify } from '../temporal-server/process-identity';
import { DataDirectoryInUse, holderOf, lockDataDirectory } from './data-lock';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'soai-lock-'));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function lockedBy(holder: { pid: number; start: string | null } | string): void {
  mkdirSync(path.join(dir, 'run'));
  writeFileSync(path.join(dir, 'run', 'lock'), typeof holder === 'string' ? holder : JSON.stringify(holder));
}

test('C1: a data directory has one process; a second one is told which', async () => {
  const unlock = await lockDataDirectory(dir);
  expect(await holderOf(dir)).toBe(process.pid);
  await expect(lockDataDirectory(dir)).rejects.toThrow(DataDirectoryInUse);
  await unlock();
  expect(await holderOf(dir)).toBeNull();
  await (
    await lockDataDirectory(dir)
  )();
});

test('C2: the lock of a crashed process is replaced', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const dead = identify(child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockedBy(dead);
  await (
    await lockDataDirectory(dir)
  )();
});

test('C2: a pid that was given to another process since is not its holder', async () => {
  lockedBy({ pid: process.pid, start: '1' });
  await (
    await lockDataDirectory(dir)
  )();
});

test('C2: a lock that a crash left empty is replaced', async () => {
  lockedBy('');
  await (
    await lockDataDirectory(dir)
  )();
});

test('C1: of many starters at once exactly one gets the lock', async () => {
  lockedBy('');
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDataDirectory(dir)));
  const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(winners).toHaveLength(1);
});
