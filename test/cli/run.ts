/** Runs `main` in this process with streams of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { main } from '../../cli/main';
import type { Terminal } from '../../cli/terminal';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Session {
  readonly stdin: PassThrough;
  readonly outcome: Promise<Outcome>;
  /** Ctrl-C. */
  interrupt(): void;
  /** Resolves once stdout or stderr has shown the text. */
  shown(text: string): Promise<void>;
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What is piped in; null leaves stdin open. */
  readonly input?: string | null;
  readonly tty?: boolean;
  readonly columns?: number;
}

export function start(argv: readonly string[], options: Options = {}): Session {
  const { env = {}, input = '', tty = false, columns } = options;
  const cwd = options.cwd ?? emptyDirectory();
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const stdout = Object.assign(new PassThrough(), { isTTY: tty, ...(columns === undefined ? {} : { columns }) });
  const stderr = new PassThrough();
  if (input !== null) stdin.end(input);
  const seen = { stdout: '', stderr: '' };
  const waiting = new Map<string, () => void>();
  const collect = (name: 'stdout' | 'stderr') => (data: Buffer) => {
    seen[name] += data.toString();
    for (const [text, resolve] of waiting) if ((seen.stdout + seen.stderr).includes(text)) resolve();
  };
  stdout.on('data', collect('stdout'));
  stderr.on('data', collect('stderr'));
  const listeners = new Set<() => void>();
  const terminal: Terminal = {
    stdin,
    stdout,
    stderr,
    cwd,
    env: { HOME: cwd, ...env },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const outcome = main(argv, terminal).then(async (code) => {
    // What was written arrives at the collectors on a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    return { code, stdout: seen.stdout, stderr: seen.stderr };
  });
  return {
    stdin,
    outcome,
    interrupt: () => listeners.forEach((listener) => listener()),
    shown: (text) =>
      new Promise((resolve) => {
        if ((seen.stdout + seen.stderr).includes(text)) resolve();
        else waiting.set(text, resolve);
      }),
  };
}

export function run(argv: readonly string[], options: Options = {}): Promise<Outcome> {
  return start(argv, options).outcome;
}

export function emptyDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'soai-cli-'));
}
