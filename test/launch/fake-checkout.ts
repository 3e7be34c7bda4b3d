/** A checkout with the real launchers and a server that tells what happens to it. */
import { chmod, cp, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SERVER = `
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    process.stdout.write(signal + '\\n');
    if (process.argv.includes('--stubborn')) return;
    setTimeout(() => process.exit(7), 400);
  });
}
setInterval(() => {}, 1000);
process.stdout.write('args ' + JSON.stringify(process.argv.slice(2)) + ' pid ' + process.pid + '\\n');
`;

const COMMAND =
  "process.stdout.write('cli ' + JSON.stringify(process.argv.slice(2)) + ' in ' + process.cwd() + '\\n');";

export async function fakeCheckout(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'soai-launch-')));
  await cp(resolve(__dirname, '../../bin'), join(dir, 'bin'), { recursive: true });
  await chmod(join(dir, 'bin/soai'), 0o755);
  return dir;
}

export async function setUp(dir: string): Promise<void> {
  await mkdir(join(dir, 'node_modules/node/bin'), { recursive: true });
  await symlink(process.execPath, join(dir, 'node_modules/node/bin/node'));
  await mkdir(join(dir, 'dist/api'), { recursive: true });
  await mkdir(join(dir, 'dist/cli'), { recursive: true });
  await writeFile(join(dir, 'dist/api/main.js'), SERVER);
  await writeFile(join(dir, 'dist/cli/main.js'), COMMAND);
}
