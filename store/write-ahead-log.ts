/**
 * Damage in SQLite's write-ahead log that SQLite itself passes over in silence: it takes the first
 * frame with a wrong checksum for the end of the log, and what was committed behind it is gone.
 *
 * With `synchronous = FULL` a commit is on the disk before the next one is written. So a power cut can
 * tear the last transaction only: a bad frame with two later commits of the same log is damage.
 * Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** Of the log beside `database`; null when it is sound, empty or absent. */
export function logProblem(database: string): string | null {
  const file = `${database}-wal`;
  if (!existsSync(file) || statSync(file).size <= HEADER_BYTES) return null;
  const descriptor = openSync(file, 'r');
  try {
    const read = (bytes: Buffer, at: number): boolean =>
      readSync(descriptor, bytes, 0, bytes.length, at) === bytes.length;
    const problem = problemIn(read);
    return problem === null ? null : `its log ${file} is damaged: ${problem}`;
  } finally {
    closeSync(descriptor);
  }
}

type Read = (bytes: Buffer, at: number) => boolean;
type Sum = readonly [number, number];

function problemIn(read: Read): string | null {
  const header = Buffer.alloc(HEADER_BYTES);
  read(header, 0);
  // Bit 0 of the magic number tells the byte order of the checksums.
  const magic = header.readUInt32BE(0);
  const bigEndian = (magic & 1) === 1;
  let sum = checksum(header.subarray(0, 24), [0, 0], bigEndian);
  const pageBytes = header.readUInt32BE(8);
  if ((magic & ~1) !== MAGIC || !matches(sum, header, 24) || pageBytes < 512) return 'its header is not valid';

  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
  let at = HEADER_BYTES;
  for (; read(frame, at); at += frame.length) {
    sum = checksum(frame.subarray(FRAME_HEADER_BYTES), checksum(frame.subarray(0, 8), sum, bigEndian), bigEndian);
    if (!ofThisLog(frame, header) || !matches(sum, frame, 16)) break;
  }
  const number = (at - HEADER_BYTES) / frame.length + 1;
  return commitsFrom(read, at, frame, header) < 2 ? null : `frame ${number} does not have its checksum`;
}

/** Commits that were written after the first frame that does not count any more. */
function commitsFrom(read: Read, from: number, frame: Buffer, header: Buffer): number {
  let commits = 0;
  for (let at = from + frame.length; read(frame, at); at += frame.length) {
    if (ofThisLog(frame, header) && frame.readUInt32BE(4) !== 0) commits++;
  }
  return commits;
}

/** Frames of the log's earlier rounds have other salts. */
function ofThisLog(frame: Buffer, header: Buffer): boolean {
  return frame.compare(header, 16, 24, 8, 16) === 0;
}

function matches(sum: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === sum[0] && bytes.readUInt32BE(at + 4) === sum[1];
}

function checksum(bytes: Buffer, [first, second]: Sum, bigEndian: boolean): Sum {
  for (let at = 0; at < bytes.length; at += 8) {
    const [a, b] = bigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    first = (first + a + second) >>> 0;
    second = (second + b + first) >>> 0;
  }
  return [first, second];
}
