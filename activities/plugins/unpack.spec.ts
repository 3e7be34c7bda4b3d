import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { PackageRefused } from './package-entry';
import { unpack } from './unpack';

const directory = mkdtempSync(path.join(tmpdir(), 'soai-unpack-'));
afterAll(() => rmSync(directory, { recursive: true }));

interface Entry {
  readonly name: string;
  readonly type?: string;
  readonly content?: string | Buffer;
  readonly link?: string;
}

function block({ name, type = '0', content = '', link = '' }: Entry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name.slice(0, 100), 0);
  header.write('0000644\0', 100);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write(link, 157);
  header.write('ustar\x0000', 257);
  header.fill(0x20, 148, 156);
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const tar = (...entries: readonly Entry[]): Buffer => Buffer.concat([...entries.map(block), Buffer.alloc(1024)]);

let serial = 0;
async function outcome(bytes: Buffer, limits?: { entries: number; totalBytes: number }): Promise<string[] | string> {
  const at = path.join(directory, `${(serial += 1)}`);
  mkdirSync(path.join(at, 'target'), { recursive: true });
  const archive = path.join(at, 'a.tgz');
  writeFileSync(archive, bytes);
  try {
    await unpack(archive, path.join(at, 'target'), limits);
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    // Whatever was refused, nothing is anywhere but below the target.
    expect(readdirSync(at).sort()).toEqual(['a.tgz', 'target']);
    return error.message;
  }
  return readdirSync(path.join(at, 'target'), { recursive: true, encoding: 'utf8' }).sort();
}

test('S50: files and folders come out as they were put in', async () => {
  const bytes = tar(
    { name: 'p/', type: '5' },
    { name: 'p/manifest.json', content: '{}' },
    { name: './p/lib/a.js', content: 'x'.repeat(3000) },
  );
  expect(await outcome(gzipSync(bytes))).toEqual(['p', 'p/lib', 'p/lib/a.js', 'p/manifest.json']);
  expect(readFileSync(path.join(directory, `${serial}`, 'target/p/lib/a.js'), 'utf8')).toBe('x'.repeat(3000));
});

test.each<[string, Entry]>([
  ['traversal', { name: '../up' }],
  ['traversal below', { name: 'a/../../up' }],
  ['an absolute path', { name: '/etc/passwd' }],
  ['a backslash', { name: '..\\up' }],
  ['a control character', { name: 'a\nb' }],
  ['a symbolic link', { name: 'a', type: '2', link: '/etc' }],
  ['a hard link', { name: 'a', type: '1', link: 'b' }],
  ['a character device', { name: 'a', type: '3' }],
  ['a block device', { name: 'a', type: '4' }],
  ['a pipe', { name: 'a', type: '6' }],
  ['an unknown kind', { name: 'a', type: 'Z' }],
  ['an extended header with another path', { name: 'x', type: 'x', content: '20 path=../../../up\n' }],
])('S7, S50: %s is refused', async (_name, entry) => {
  expect(typeof (await outcome(gzipSync(tar(entry, { name: 'b', content: 'b' }))))).toBe('string');
});

test('S50: size, number, repetition and truncation are bounded', async () => {
  const limits = { entries: 3, totalBytes: 100 };
  const files = (count: number, content: string): Entry[] =>
    Array.from({ length: count }, (_, n) => ({ name: `f${n}`, content }));
  expect(await outcome(gzipSync(tar(...files(3, 'x'))), limits)).toHaveLength(3);
  expect(await outcome(gzipSync(tar(...files(4, 'x'))), limits)).toContain('more than 3 entries');
  expect(await outcome(gzipSync(tar(...files(2, 'x'.repeat(51)))), limits)).toContain('more than 100 bytes');
  expect(await outcome(gzipSync(tar({ name: 'a' }, { name: 'A' })))).toContain('twice');
  expect(await outcome(gzipSync(tar({ name: 'a' }, { name: 'a/b' })))).toContain('as a file and as a folder');
  expect(await outcome(gzipSync(tar({ name: 'a', content: 'x'.repeat(2000) }).subarray(0, 1200)))).toContain(
    'too early',
  );
  expect(await outcome(gzipSync(Buffer.alloc(10_000)))).toContain('no tar archive');
  expect(await outcome(Buffer.from('no gzip'))).toContain('.tgz');
});

test('S50: whatever the bytes, it unpacks below its target or refuses', async () => {
  const good = tar({ name: 'a/b', content: 'hello' }, { name: 'c', content: 'world' });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 }), async (changes) => {
      const bytes = Buffer.from(good);
      for (const [at, value] of changes) bytes[at] = value;
      const result = await outcome(gzipSync(bytes));
      if (Array.isArray(result)) expect(result.every((name) => !name.includes('..'))).toBe(true);
      expect(existsSync(path.join(directory, 'up'))).toBe(false);
    }),
    { numRuns: 200 },
  );
});
