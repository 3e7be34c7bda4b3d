/** The server of this OS user's data directory, from the file it leaves while it runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeFile, type RuntimeFile } from '../api/contract/runtime-file';

/** null: none runs there. A file that a killed server left behind counts as none. */
export function runningServer(dataDir: string): RuntimeFile | null {
  const found = readRuntimeFile(join(dataDir, 'run', 'server.json'));
  return found !== null && isAlive(found) ? found : null;
}

function readRuntimeFile(file: string): RuntimeFile | null {
  try {
    return runtimeFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Absent, of another OS user, or from a version that wrote it differently: no server of ours.
    return null;
  }
}

function isAlive({ pid, pid_start: start }: RuntimeFile): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // The pid may have been given to another process since.
  const now = startTicks(pid);
  return start === null || now === null || now === start;
}

/** Linux: ticks since boot at the process's start; null elsewhere. */
function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name may hold blanks and parentheses: fields are counted from its last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
