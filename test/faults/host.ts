/** What the kernel knows of a process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

function status(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? NaN) / 1024;
}

/** The most memory it ever held, MiB. */
export const peakMemory = (pid: number): number => Math.round(status(pid, 'VmHWM'));

export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** Its living children's command lines. */
export function childrenOf(pid: number): readonly string[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === ''
    ? []
    : children.split(' ').map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')[0] ?? '');
}
