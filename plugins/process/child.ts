import { spawn, type ChildProcess } from 'node:child_process';
import type { PluginContext } from '../adapter';
import { forwardLines } from './log-lines';
import { removePidFile, writePidFile } from './pid-file';
import { signalGroup } from './process-group';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Opens a message channel; only for Node programs. */
  readonly ipc?: boolean;
  readonly pidFile: string;
  readonly log: PluginContext['log'];
}

/** Lines kept for telling why a process ended. */
const LAST_LINES = 5;
const LAST_LINES_MS = 500;

/** A running backend process, leader of a group of its own. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Resolves with how it ended, in words. */
  readonly exited: Promise<string>;
  /** TERM to the group, KILL after `graceMs`; resolves when it has ended. */
  stop(graceMs: number): Promise<void>;
}

/** Starts a process without a shell. Rejects when the system can't run it. */
export async function launch({ command, args, env, cwd, ipc, pidFile, log }: Launch): Promise<Child> {
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc === true ? (['ipc'] as const) : [])],
  });
  const lastLines: string[] = [];
  for (const [stream, output] of [['stdout', child.stdout] as const, ['stderr', child.stderr] as const]) {
    if (output === null) continue;
    forwardLines(output, (line) => {
      lastLines.push(line);
      if (lastLines.length > LAST_LINES) lastLines.shift();
      log('info', line, { stream });
    });
  }
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      const pid = child.pid as number;
      // Its own children go with it.
      signalGroup(pid, 'SIGKILL');
      const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
      // The last lines are still in the pipe, which a process that left the group may hold open.
      const drained = new Promise<void>((done) => {
        child.once('close', () => done());
        setTimeout(done, LAST_LINES_MS).unref();
      });
      // Told only once the file is gone, or removing it could hit that of the next start.
      const forgotten = removePidFile(pidFile).catch(() => undefined);
      void Promise.all([drained, forgotten]).then(() =>
        resolve(lastLines.length === 0 ? how : `${how}: ${lastLines.join(' | ')}`),
      );
    });
  });
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  // Later errors are failed kills and sends; what matters of them shows in the exit.
  child.on('error', () => undefined);
  const pid = child.pid as number;
  try {
    await writePidFile(pidFile, pid);
  } catch (error) {
    // Without it the child could outlive us unnoticed.
    signalGroup(pid, 'SIGKILL');
    throw error;
  }
  return {
    process: child,
    pid,
    exited,
    async stop(graceMs) {
      if (child.exitCode !== null || child.signalCode !== null) {
        await exited;
        return;
      }
      signalGroup(pid, 'SIGTERM');
      const kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
      await exited;
      clearTimeout(kill);
    },
  };
}
