/** `soai` as a process, on a data directory of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../harness/product';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const environment = (dataDir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  SOAI__SYSTEM__PATHS__SYSTEM_DATA: dataDir,
  PATH: `${join(ROOT, 'bin')}:${process.env.PATH}`,
});

export const soai = (dataDir: string, ...words: readonly string[]): Promise<Result> =>
  run(join(ROOT, 'bin/soai'), words, environment(dataDir), dataDir);

export async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Result> {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout, stderr };
}
