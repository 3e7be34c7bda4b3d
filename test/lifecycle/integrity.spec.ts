/** C4: damage of every kind stops the start with the files untouched; soundness lets it on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { runCheck } from '../../activities/lifecycle/check-process';
import { isMarked, markerPath, readMarker } from '../../activities/lifecycle/dirty-marker';
import { checkIntegrity, DatabaseDamaged } from '../../activities/lifecycle/integrity-check';
import { databaseFile } from '../../store/open-store';
import { quickCheck } from '../../store/quick-check';
import { logProblem } from '../../store/write-ahead-log';
import { assertBuilt, ROOT, SERVER } from '../harness/product';
import { temporaryDirectories } from '../store/temporary-directory';
import {
  breakTablePages,
  copyDatabaseFiles,
  crash,
  digests,
  fill,
  flip,
  integrityCheck,
  leaveMarker,
  makeFreePages,
} from './sample-database';

jest.setTimeout(180_000);
beforeAll(assertBuilt);

const newDirectory = temporaryDirectories();
const script = join(ROOT, 'dist/store/quick-check-process.js');
const log = pino({ level: 'silent' });

/** Of `fill` and of `crash`; copied, never changed. */
let stopped: string;
let crashed: string;

beforeAll(async () => {
  stopped = newDirectory();
  crashed = newDirectory();
  await fill(stopped, 400);
  makeFreePages(stopped);
  const running = newDirectory();
  copyDatabaseFiles(stopped, running);
  await crash(running, crashed, 30);
});

async function copyOf(source: string, expects: 'database' | 'database_and_log'): Promise<string> {
  const dir = newDirectory();
  copyDatabaseFiles(source, dir);
  await leaveMarker(dir, expects);
  return dir;
}

const check = (dataDir: string): Promise<void> => checkIntegrity({ dataDir, log, script });

test('C4: a sound database with a log is let on, and neither changes by a byte', async () => {
  const dir = await copyOf(crashed, 'database_and_log');
  const before = digests(dir);
  expect(statSync(`${databaseFile(dir)}-wal`).size).toBeGreaterThan(100_000);
  await check(dir);
  expect(digests(dir)).toEqual(before);
  expect(before).not.toContain(null);
});

/** Mulberry32: the same flips each time. */
function seeded(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/**
 * Blind by design: quick_check does not compare indexes with their tables (SQLite's documentation of
 * PRAGMA quick_check). Everything else that integrity_check reports it must report too.
 */
const ONLY_INTEGRITY_CHECK =
  /^(row \d+ missing from index|wrong # of entries in index|non-unique entry in index|rowid not at end)/;

test('C4: of seeded flips over the whole file, each that breaks structure is found; nothing is written', async () => {
  const dir = newDirectory();
  const file = databaseFile(dir);
  const size = statSync(databaseFile(stopped)).size;
  const random = seeded(20_260_401);
  const pages = size / 4_096;
  // The first bytes of a page hold its structure, so half of the flips go there.
  const offsets = Array.from({ length: 48 }, (_, at) =>
    at < 8 ? random(100) : random(pages) * 4_096 + random(at % 2 === 0 ? 24 : 4_096),
  );
  const seen = { caught: 0, invisible: 0, harmless: 0 };
  for (const offset of offsets) {
    copyDatabaseFiles(stopped, dir);
    flip(file, offset);
    const before = digests(dir);
    const problems = await quickCheck(file);
    expect(digests(dir)).toEqual(before);
    const structural = integrityCheck(dir, newDirectory()).filter((line) => !ONLY_INTEGRITY_CHECK.test(line));
    if (structural.length > 0)
      expect({ offset, structural, caught: problems.length > 0 }).toMatchObject({ caught: true });
    if (problems.length > 0) seen.caught++;
    else seen[integrityCheck(dir, newDirectory()).length > 0 ? 'invisible' : 'harmless']++;
  }
  expect(seen.caught).toBeGreaterThanOrEqual(10);
});

/** Breaks the copy in `dir`; what the message must name besides the file. */
const FAULTS: Record<string, { breakIt(dir: string): void; says: RegExp }> = {
  'pages of other bytes': { breakIt: breakTablePages, says: /integrity check/ },
  'a header of other bytes': { breakIt: (dir) => flip(databaseFile(dir), 0, 1, 2), says: /not a database|malformed/ },
  'a missing log': { breakIt: (dir) => rmSync(`${databaseFile(dir)}-wal`), says: /soai\.db-wal.* is gone/ },
  'an empty log': { breakIt: (dir) => truncateSync(`${databaseFile(dir)}-wal`), says: /soai\.db-wal.* is empty/ },
  'a garbled log': {
    breakIt: (dir) => flip(`${databaseFile(dir)}-wal`, 10_000),
    says: /soai\.db-wal is damaged: frame 3 /,
  },
  'a garbled header of the log': {
    breakIt: (dir) => flip(`${databaseFile(dir)}-wal`, 17),
    says: /soai\.db-wal is damaged: its header/,
  },
  'an empty file': { breakIt: (dir) => truncateSync(databaseFile(dir)), says: /is empty/ },
  'a file cut short': { breakIt: (dir) => truncateSync(databaseFile(dir), 50_000), says: /integrity check/ },
  'a missing file': { breakIt: (dir) => rmSync(databaseFile(dir)), says: /is gone/ },
  'a directory in its place': {
    breakIt: (dir) => {
      rmSync(databaseFile(dir));
      mkdirSync(databaseFile(dir));
    },
    says: /is not a file/,
  },
};

test.each(Object.entries(FAULTS))(
  'C4: %s stops the check, file named, nothing written',
  async (_what, { breakIt, says }) => {
    // Pages in the log hide those of the file, so damage of the file is tried without one.
    const inLog = /log/.test(_what);
    const dir = await copyOf(inLog ? crashed : stopped, inLog ? 'database_and_log' : 'database');
    breakIt(dir);
    const directory = statSync(databaseFile(dir), { throwIfNoEntry: false })?.isDirectory() ?? false;
    const before = directory ? null : digests(dir);
    const marker = readFileSync(markerPath(dir), 'utf8');
    const stop = await check(dir).catch((error: unknown) => error);
    expect(stop).toBeInstanceOf(DatabaseDamaged);
    expect((stop as Error).message).toMatch(says);
    expect((stop as Error).message).toContain(databaseFile(dir));
    expect((stop as Error).message).toContain('docs/recover-a-database.md');
    if (!directory) expect(digests(dir)).toEqual(before);
    expect(readFileSync(markerPath(dir), 'utf8')).toBe(marker);
  },
);

test('C4: a log whose last transaction is torn is what a power cut leaves, and no damage', async () => {
  const dir = await copyOf(crashed, 'database_and_log');
  const wal = `${databaseFile(dir)}-wal`;
  truncateSync(wal, statSync(wal).size - 2_000);
  expect(logProblem(databaseFile(dir))).toBeNull();
  flip(wal, statSync(wal).size - 3_000);
  expect(logProblem(databaseFile(dir))).toBeNull();
  await check(dir);
});

test('C4: a first start that crashed before its first transaction is no damage', async () => {
  const dir = newDirectory();
  await leaveMarker(dir, 'nothing');
  await check(dir);
  writeFileSync(databaseFile(dir), '');
  await check(dir);
});

test('C10: a file of another user or without rights is named with both', async () => {
  const dir = await copyOf(stopped, 'database');
  chmodSync(databaseFile(dir), 0o000);
  chmodSync(dir, 0o755);
  // Root may read anything, so the look is made as somebody else.
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const look = `const { examineFiles } = require(${JSON.stringify(join(ROOT, 'dist/activities/lifecycle/database-files.js'))});
    console.log(JSON.stringify(examineFiles(${JSON.stringify(databaseFile(dir))}, 'database')));`;
  const child = spawn(process.execPath, ['-e', look], { ...asNobody, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  await once(child, 'close');
  expect(JSON.parse(output)).toEqual({
    kind: 'unusable',
    problem: expect.stringMatching(/soai\.db belongs to user \d+ with rights 000: user \d+ can't read and write it/),
  });
});

test('C4: the check says how far it is', async () => {
  const dir = newDirectory();
  await fill(dir, 300, 20_000);
  const lines: { percent: number }[] = [];
  const onProgress = (progress: { percent: number }): void => void lines.push(progress);
  const problems = await runCheck({ file: databaseFile(dir), script, inUse: false, progressMs: 5, onProgress });
  expect(problems).toEqual([]);
  expect(lines.length).toBeGreaterThan(0);
  for (const [at, { percent }] of lines.entries()) {
    expect(percent).toBeGreaterThanOrEqual(lines[at - 1]?.percent ?? 0);
    expect(percent).toBeLessThanOrEqual(99);
  }
});

test('C4: a check whose process dies has not found the database sound', async () => {
  const dir = await copyOf(stopped, 'database');
  const silent = join(newDirectory(), 'dies.js');
  writeFileSync(silent, 'process.kill(process.pid, "SIGKILL");');
  await expect(checkIntegrity({ dataDir: dir, log, script: silent })).rejects.toThrow('ended without a result');
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The real server on the data directory; `onOutput` may end it. */
async function start(
  dataDir: string,
  onOutput: (text: string, child: ReturnType<typeof spawn>) => void,
): Promise<Ended> {
  const config = join(newDirectory(), 'soai.yaml');
  writeFileSync(config, JSON.stringify({ SYSTEM: { PATHS: { SYSTEM_DATA: dataDir } }, SERVER: { PORT: 0 } }));
  const child = spawn(process.execPath, [SERVER, '--config', config], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
      onOutput(output, child);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

test('C4: the server stops, non-zero, before anything else opens the database', async () => {
  const dir = await copyOf(crashed, 'database_and_log');
  flip(`${databaseFile(dir)}-wal`, 10_000);
  const before = digests(dir);
  const marker = await readMarker(dir);
  const { code, output } = await start(dir, () => undefined);
  expect(code).toBe(1);
  expect(output).toContain('docs/recover-a-database.md');
  expect(output).toContain(databaseFile(dir));
  expect(digests(dir)).toEqual(before);
  expect(await readMarker(dir)).toEqual(marker);
  expect(existsSync(join(dir, 'temporal'))).toBe(false);
});

test('C4: an interrupted check leaves the marker, and the next start checks again', async () => {
  const dir = await copyOf(crashed, 'database_and_log');
  const before = digests(dir);
  const marker = await readMarker(dir);
  const first = await start(dir, (text, child) => {
    if (text.includes('checking the database')) child.kill('SIGKILL');
  });
  expect(first.output).not.toContain('the database is sound');
  expect(isMarked(dir)).toBe(true);
  expect(await readMarker(dir)).toEqual(marker);
  expect(digests(dir)).toEqual(before);
  const second = await start(dir, (text, child) => {
    if (text.includes('the database is sound')) child.kill('SIGKILL');
  });
  expect(second.output).toContain('please wait, do not power-cycle');
  expect(second.output).toContain('the database is sound');
});
