/** Spec J: `bin/soai` works from any directory. */
import { execFile } from 'node:child_process';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeCheckout, setUp } from './fake-checkout';

let dir: string;
beforeEach(async () => {
  dir = await fakeCheckout();
});
afterEach(() => rm(dir, { recursive: true }));

function soai(path: string, args: string[], cwd: string) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(path, args, { cwd }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

test('J: from another directory, through relative and absolute symlinks, arguments intact', async () => {
  await setUp(dir);
  const elsewhere = join(dir, 'else where');
  await mkdir(elsewhere);
  await symlink('../bin/soai', join(elsewhere, 'one'));
  await symlink(join(elsewhere, 'one'), join(elsewhere, 'two'));
  const { stdout, code } = await soai(join(elsewhere, 'two'), ['task', 'list', 'a b', ''], elsewhere);
  expect({ stdout, code }).toEqual({ stdout: `cli ["task","list","a b",""] in ${elsewhere}\n`, code: 0 });
});

test('J: not set up: says what to do, and where', async () => {
  const { code, stdout, stderr } = await soai(join(dir, 'bin/soai'), ['status'], '/');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(`soai is not set up: run "npm run setup" in ${dir}\n`);
});
