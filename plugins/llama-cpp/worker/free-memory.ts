/** How much memory this process may still take on Linux; nothing is known elsewhere. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A file's text, or null when there is none. */
export type ReadText = (file: string) => string | null;

const CGROUPS = '/sys/fs/cgroup';

/** Bytes: what the host has available, or less where a control group on the way up allows less. */
export function freeMemory(read: ReadText = readText): number | null {
  const host = hostAvailable(read('/proc/meminfo'));
  const group = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  if (host === null || group === undefined) return host;
  const rooms: number[] = [host];
  for (let at = group; ; at = path.posix.dirname(at)) {
    const room = roomIn(path.posix.join(CGROUPS, at), read);
    if (room !== null) rooms.push(room);
    if (at === '/') return Math.min(...rooms);
  }
}

function hostAvailable(meminfo: string | null): number | null {
  const kib = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo ?? '')?.[1];
  return kib === undefined ? null : Number(kib) * 1024;
}

/** What a group's limit leaves; cached files give way, so they don't count as taken. */
function roomIn(directory: string, read: ReadText): number | null {
  const limit = bytesOf(read(path.posix.join(directory, 'memory.max')));
  const current = bytesOf(read(path.posix.join(directory, 'memory.current')));
  if (limit === null || current === null) return null;
  const stat = read(path.posix.join(directory, 'memory.stat')) ?? '';
  const cached = ['inactive_file', 'active_file'].map((name) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0),
  );
  return Math.max(0, limit - current + cached.reduce((sum, each) => sum + each, 0));
}

/** `max` is no limit. */
function bytesOf(text: string | null): number | null {
  return text !== null && /^\d+\s*$/.test(text) ? Number(text) : null;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
