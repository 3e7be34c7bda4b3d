/**
 * A process is known by its pid *and* its start time: a pid alone may have been given to another
 * process since.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; null where the system does not tell. */
  readonly start: string | null;
}

/** Start time of a living process (Linux: ticks since boot), or null. A zombie does not live. */
export function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
    }
    // The command name may hold blanks and parentheses: fields are counted from its last one.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

export function identify(pid: number): ProcessIdentity {
  return { pid, start: startOf(pid) };
}

export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return start !== null && startOf(pid) === start;
}

/** TERM, then KILL after `graceMs`; resolves when the process is gone. */
export async function endProcess(target: ProcessIdentity, graceMs: number): Promise<void> {
  signalIfAlive(target, 'SIGTERM');
  if (await isGone(target, graceMs)) return;
  signalIfAlive(target, 'SIGKILL');
  await isGone(target, 5000);
}

function signalIfAlive(target: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    if (isAlive(target)) process.kill(target.pid, signal);
  } catch {
    // It went between the look and the signal.
  }
}

async function isGone(target: ProcessIdentity, withinMs: number): Promise<boolean> {
  for (const until = Date.now() + withinMs; isAlive(target); await delay(20)) {
    if (Date.now() >= until) return false;
  }
  return true;
}
