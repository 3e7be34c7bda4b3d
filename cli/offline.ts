/** Commands on the data directory without a server: `dist/api/offline.js` in a process of its own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { errorOf } from './api-client';
import type { Context } from './context';
import { CliError, EXIT } from './exit-code';
import { entryPoint } from './installation';

export interface OfflineRunner {
  /** `say` gets the lines it prints for people, as they come. */
  (context: Context, args: readonly string[], say?: (line: string) => void): Promise<unknown>;
}

/** Runs it and parses its one JSON object; its errors and exit codes become ours. */
export const runOffline: OfflineRunner = async (context, args, say) => {
  const { config } = context.options;
  const script = entryPoint('api', 'offline.js');
  // Right after the noun and the verb: what follows "--" is no option any more.
  const all = [script, ...args.slice(0, 2), ...(config === undefined ? [] : ['--config', config]), ...args.slice(2)];
  const { code, stdout, stderr } = await run(all, context, say);
  if (code === EXIT.ok) return JSON.parse(stdout) as unknown;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const { message, hint, code: reason } = errorOf(last);
  const known = code !== null && code >= EXIT.failed && code <= EXIT.notFound;
  throw new CliError(
    known ? code : EXIT.failed,
    reason ?? 'offline_failed',
    message ?? (stderr.trim() || 'The command on the data directory failed.'),
    hint ?? null,
  );
};

function run(
  args: string[],
  context: Context,
  say: (line: string) => void = () => undefined,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: context.terminal.cwd,
      env: context.childEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!line.startsWith('{"error":')) say(line);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
