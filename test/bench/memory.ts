import { readFile } from 'node:fs/promises';

/** Resident memory of one process in MiB, or null where /proc does not tell. */
export async function residentMiB(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Number(kib) / 1024;
}
