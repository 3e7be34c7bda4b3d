/** What no crash does to the database's files, and SQLite would pass over (C4): something else did it. */
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import type { Expected } from './dirty-marker';

/** A log with less than its header holds nothing. */
const LOG_HEADER_BYTES = 32;

export type FilesFound = { readonly kind: 'none' | 'usable' } | { readonly kind: 'unusable'; readonly problem: string };

const unusable = (problem: string): FilesFound => ({ kind: 'unusable', problem });

/** `expects`: what the marker of the crashed run promises; null when it says nothing. */
export function examineFiles(file: string, expects: Expected | null): FilesFound {
  if (expects === 'restore') return unusable('a restore was interrupted; run it again: soai db restore');
  const log = find(`${file}-wal`);
  const logged = log !== null && log.size >= LOG_HEADER_BYTES;
  const promised = expects === 'database' || expects === 'database_and_log';
  const found = find(file);
  if (found === null) return promised || logged ? unusable('the file is gone') : { kind: 'none' };
  if (!found.isFile()) return unusable('it is not a file');
  const locked = [file, ...(log === null ? [] : [`${file}-wal`])].find((each) => !isAccessible(each));
  if (locked !== undefined) return unusable(`${locked} ${whoseItIs(locked)}`);
  if (found.size === 0 && (promised || logged)) return unusable('the file is empty');
  if (log !== null && !log.isFile()) return unusable(`its log ${file}-wal is not a file`);
  if (expects === 'database_and_log' && !logged) {
    return unusable(`its log ${file}-wal, with the last transactions, is ${log === null ? 'gone' : 'empty'}`);
  }
  return { kind: 'usable' };
}

/** False for a file that a first start has only just created. */
export function holdsDatabase(file: string): boolean {
  return (find(file)?.size ?? 0) > 0;
}

function find(file: string): Stats | null {
  return statSync(file, { throwIfNoEntry: false }) ?? null;
}

function isAccessible(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function whoseItIs(file: string): string {
  const { uid, mode } = statSync(file);
  const rights = (mode & 0o777).toString(8).padStart(3, '0');
  return `belongs to user ${uid} with rights ${rights}: user ${process.getuid?.() ?? '?'} can't read and write it`;
}
