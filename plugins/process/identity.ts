import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When the process with this id began, as an opaque text; null when none runs (a zombie doesn't).
 * Together with the id it tells a process from a later one that was given the same id.
 */
export function startTimeOf(pid: number): string | null {
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

function fromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The second field is the command in parentheses, which may hold anything; counted from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  return state === 'Z' || state === 'X' || startTicks === undefined ? null : startTicks;
}

function fromPs(pid: number): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const started = status === 0 ? stdout.trim() : '';
  return started === '' ? null : started;
}
