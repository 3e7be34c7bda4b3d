/** A contestant's process: started, waited for, stopped, and never left behind. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 20_000;

export function launch(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  // stdin stays open for as long as we live: our own programs end with it.
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('close', () => process.off('exit', endWithUs));
  return child;
}

export function asChild(process: ChildProcess): Child {
  const gone = new Promise<void>((resolve) => process.once('close', () => resolve()));
  return {
    pid: process.pid ?? 0,
    async stop() {
      process.kill('SIGTERM');
      const forced = setTimeout(() => process.kill('SIGKILL'), STOP_WITHIN_MS);
      await gone;
      clearTimeout(forced);
    },
  };
}

/** Starts one of our own programs and waits for the line in which it names its address. */
export async function launchProgram(
  script: string,
  args: readonly string[],
): Promise<Child & { readonly url: string }> {
  const child = launch(process.execPath, [script, ...args]);
  let problems = '';
  child.stderr?.on('data', (part: Buffer) => (problems = (problems + part.toString()).slice(-4000)));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`${script} ended (${code}) before it was ready\n${problems}`)));
    createInterface({ input: child.stdout! }).once('line', (line) =>
      resolve((JSON.parse(line) as { url: string }).url),
    );
  });
  return { ...asChild(child), url };
}

/** Waits until a foreign server answers this URL; its log is dropped. */
export async function launchServer(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { healthUrl: string; withinMs: number },
): Promise<Child> {
  const { healthUrl, withinMs, ...spawnOptions } = options;
  const process = launch(command, args, spawnOptions);
  let last = '';
  for (const stream of [process.stdout, process.stderr])
    stream?.on('data', (part: Buffer) => (last = (last + part.toString()).slice(-2000)));
  const child = asChild(process);
  // A foreign program has no event for us: its health path is asked until it answers.
  for (const until = Date.now() + withinMs; Date.now() < until; await after(100)) {
    if (process.exitCode !== null) break;
    if (
      await fetch(healthUrl).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return child;
  }
  process.kill('SIGKILL');
  throw new Error(`${command} did not answer ${healthUrl}\n${last}`);
}
