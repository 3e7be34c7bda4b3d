/** What the kernel knows of a process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

function status(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? NaN) / 1024;
}

/** The most memory it ever held, MiB. */
export const peakMemory = (pid: number): number => Math.round(status(pid, 'VmHWM'));

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
