/** One header of a tar archive (ustar, with pax headers for long names). */
import { PackageRefused } from './package-entry';

export interface TarHeader {
  readonly name: string;
  readonly size: number;
  readonly kind: 'file' | 'folder' | 'pax';
  readonly executable: boolean;
}

const KINDS: Readonly<Record<string, TarHeader['kind']>> = { '0': 'file', '\0': 'file', '5': 'folder', x: 'pax' };

/** What else there is, named for the refusal. */
const REFUSED: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a pipe',
  g: 'a global extended header',
  L: 'a GNU long name (pack it with --format=posix)',
};

/** @param block 512 bytes. @throws PackageRefused */
export function readHeader(block: Buffer): TarHeader {
  if (checksum(block) !== octal(block, 148, 8)) throw new PackageRefused('it is no tar archive, or a damaged one');
  const type = block.toString('latin1', 156, 157);
  const name = text(block, 0, 100);
  const kind = KINDS[type];
  if (kind === undefined) {
    const what = REFUSED[type] ?? 'an entry of an unknown kind';
    throw new PackageRefused(`it holds ${what}: ${JSON.stringify(name.slice(0, 80))}`);
  }
  const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: octal(block, 124, 12),
    kind,
    executable: (octal(block, 100, 8) & 0o100) !== 0,
  };
}

/** The `path` of an extended header, or null. Records are `LENGTH KEY=VALUE\n`. */
export function paxPath(records: Buffer): string | null {
  let path: string | null = null;
  for (let at = 0; at < records.length;) {
    const space = records.indexOf(0x20, at);
    const length = space === -1 ? NaN : Number(records.toString('latin1', at, space));
    if (!Number.isInteger(length) || length <= space - at + 1 || at + length > records.length) {
      throw new PackageRefused('one of its extended headers is damaged');
    }
    const record = records.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (key === 'path') path = record.slice(equals + 1);
    // A size here would contradict the one that was counted.
    if (key === 'size' || key === 'linkpath') throw new PackageRefused(`one of its extended headers sets ${key}`);
    at += length;
  }
  return path;
}

function text(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function octal(block: Buffer, from: number, length: number): number {
  const digits = block
    .toString('latin1', from, from + length)
    .replace(/[\0 ]+$/, '')
    .trim();
  if (!/^[0-7]{0,11}$/.test(digits)) throw new PackageRefused('a number in it is none');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

/** The sum of all bytes, those of the checksum itself taken as spaces. */
function checksum(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < 512; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
  return sum;
}
