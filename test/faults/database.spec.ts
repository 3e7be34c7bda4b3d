/** Faults C1 to C3, C5, C6, T95 and C9: the database is locked, full, damaged or gone while the server runs. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statfsSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { quickCheck } from '../../store/quick-check';
import { databaseFile } from '../../store/open-store';
import { backends, chat, type Soai, startSoai } from '../harness';
import { copyDatabaseFiles, digests, fill, flip, integrityCheck, makeFreePages } from '../lifecycle/sample-database';
import { temporaryDirectories } from '../store/temporary-directory';
import { completion, hold, json, startUpstream, type Upstream } from '../upstream';
import { form, report } from './form';
import { ledgerProblems } from './ledger';
import { call } from './load';
import { health, quiet } from './oracles';
import { SeededRandom } from './random';
import { fast } from './settings';
import { until } from './until';

jest.setTimeout(form(120_000, 600_000));

const newDirectory = temporaryDirectories();
let upstream: Upstream;
let soai: Soai | null = null;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterEach(async () => {
  await soai?.dispose();
  soai = null;
});

afterAll(() => upstream.close());

async function start(dataDir?: string, routing: object = {}): Promise<Soai> {
  const settings = fast(backends({ id: 'up', url: upstream.url, models: ['m', 'running'] }), {
    MODELS: { ROUTING: routing },
  });
  soai = await startSoai({ settings, ...(dataDir === undefined ? {} : { dataDir }) });
  return soai;
}

const refusal = async (server: Soai): Promise<{ status: number; code: string }> => {
  const answer = await chat(server, 'm');
  const { error } = (await answer.json()) as { error: { code: string } };
  return { status: answer.status, code: error.code };
};

test('C1, T95: another connection holds the write lock: 503 database_busy and never 401, running work and health go on, then all is well', async () => {
  // The factory's: the lock must not outlast a lease.
  const server = await start(undefined, { DURABLE_QUEUE_LEASE_TTL_SEC: form(30, 120) });
  const gate = hold();
  const model = upstream.model('running');
  model.answers(json(completion('kept'), { beforeHead: gate }));
  const running = chat(server, 'running');
  await model.request(1);
  const heldMs = form(8_000, 60_000);
  using other = new DatabaseSync(databaseFile(server.dataDir));
  other.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  const held = new Promise<void>((resolve) => setTimeout(resolve, heldMs));
  const refused = Promise.all([1, 2, 3].map(() => refusal(server)));
  gate.open();
  const answers: number[] = [];
  let over = false;
  void held.then(() => (over = true));
  while (!over) {
    const began = performance.now();
    await health(server);
    answers.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const each of await refused) expect(each).toEqual({ status: 503, code: 'database_busy' });
  // C9: a lock for longer than 25 s must show.
  if (heldMs > 30_000) expect((await health(server)).status).toBe('degraded');
  other.exec('ROLLBACK');
  const answer = await running;
  expect([answer.status, (await answer.text()).includes('kept'), model.requests.length]).toEqual([200, true, 1]);
  await until('answers again', async () => (await call(server, 'm', false)).outcome === 'complete', 35_000, 500);
  await until('healthy', async () => (await health(server)).status === 'ok', 35_000);
  expect(Math.max(...answers)).toBeLessThan(form(3_000, 1_000));
  await quiet(server, 30_000);
  expect(ledgerProblems(server.dataDir)).toEqual([]);
});

test('A2, C9, fault C2: free space under the floor: 507 before any row, health says so', async () => {
  const { bavail, bsize } = statfsSync('/tmp');
  const server = await start(undefined, { MIN_FREE_DISK_BYTES_FOR_ACCEPT: bavail * bsize * 2 });
  expect(await refusal(server)).toEqual({ status: 507, code: 'insufficient_storage' });
  await until('degraded', async () => (await health(server)).status === 'degraded', 25_000);
  expect((await health(server)).reasons.map(({ code }) => code)).toContain('insufficient_storage');
  using database = new DatabaseSync(databaseFile(server.dataDir), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS n FROM tasks').get()).toEqual({ n: 0 });
});

const TMPFS_MIB = 48;

/** Its own small file system; null where mounting is not allowed. */
function smallDisk(): { readonly dir: string; unmount(): void } | null {
  const dir = mkdtempSync(join(tmpdir(), 'soai-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${TMPFS_MIB}m`, 'tmpfs', dir], { stdio: 'pipe' });
  } catch {
    rmSync(dir, { recursive: true });
    return null;
  }
  return {
    dir,
    unmount() {
      execFileSync('umount', ['-l', dir]);
      rmSync(dir, { recursive: true });
    },
  };
}

const disk = smallDisk();
afterAll(() => disk?.unmount());

/** Skipped where this user may not mount a small file system. */
(disk ? test : test.skip)(
  'C3: the disk is full to the last byte: refused, alive, and back once there is space',
  async () => {
    const server = await start(disk!.dir);
    expect((await call(server, 'm', false)).outcome).toBe('complete');
    const ballast = join(disk!.dir, 'ballast');
    try {
      for (let at = 0; ; at++) writeFileSync(`${ballast}-${at}`, Buffer.alloc(1 << 20));
    } catch {
      // Full to the megabyte; the rest in small pieces.
    }
    try {
      for (let at = 0; ; at++) writeFileSync(`${ballast}-s${at}`, Buffer.alloc(4_096));
    } catch {
      // Full.
    }
    const codes = new Set<string>();
    await until(
      'a refusal',
      async () => {
        const answer = await chat(server, 'm', { messages: [{ role: 'user', content: 'x'.repeat(200_000) }] });
        if (answer.status === 200) return false;
        codes.add(`${answer.status} ${((await answer.json()) as { error: { code: string } }).error.code}`);
        return true;
      },
      20_000,
    );
    expect([...codes]).toEqual(['507 insufficient_storage']);
    expect((await health(server)).engine).toBeDefined();
    execFileSync('sh', ['-c', `rm -f ${ballast}-*`]);
    await until('answers again', async () => (await call(server, 'm', false)).outcome === 'complete', 30_000, 500);
    await quiet(server, 30_000);
    await server.stop();
    expect(ledgerProblems(server.dataDir)).toEqual([]);
  },
);

test('C6: a page goes bad while the server runs: it stops, the marker stays, the next start refuses and changes nothing', async () => {
  const dataDir = newDirectory();
  await fill(dataDir, 300);
  const server = await start(dataDir);
  expect((await call(server, 'm', false)).outcome).toBe('complete');
  // Every page but the first: whichever is read from the disk next is bad.
  const file = databaseFile(dataDir);
  const pages = statSync(file).size / 4_096;
  flip(file, ...Array.from({ length: pages - 1 }, (_, at) => (at + 1) * 4_096));
  const asked = until('the end', async () => (await call(server, 'm', false)).outcome === 'cut', 60_000, 50);
  expect((await server.exited).code).toBe(1);
  await asked;
  expect(server.logs().some(({ msg }) => msg?.includes("can't be trusted"))).toBe(true);
  const before = digests(dataDir);
  await expect(server.ensureRunning()).rejects.toThrow('recover-a-database.md');
  expect(digests(dataDir)).toEqual(before);
  expect(readFileSync(join(dataDir, 'soai_process.dirty'), 'utf8')).toContain('started_at');
});

const FLIPS = form(12, 200);

test(`C5: of ${FLIPS} flipped bytes in tables, indexes, free list and header, each that integrity_check sees as structure is found, nothing is written`, async () => {
  const sound = newDirectory();
  const dir = newDirectory();
  await fill(sound, 300);
  makeFreePages(sound);
  const random = new SeededRandom(5);
  const pages = statSync(databaseFile(sound)).size / 4_096;
  let caught = 0;
  for (let at = 0; at < FLIPS; at++) {
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    copyDatabaseFiles(sound, dir);
    const offset =
      at % 10 === 0 ? random.below(100) : random.below(pages) * 4_096 + random.below(at % 2 === 0 ? 16 : 4_096);
    flip(databaseFile(dir), offset);
    const before = digests(dir);
    const found = await quickCheck(databaseFile(dir));
    expect(digests(dir)).toEqual(before);
    // What quick_check leaves out: indexes against tables, and the count of a page's own unused bytes.
    const visible = integrityCheck(dir, newDirectory()).filter(
      (line) => !/index|rowid not at end|free space corruption/.test(line),
    );
    if (visible.length > 0) expect({ offset, visible, found: found.length > 0 }).toMatchObject({ found: true });
    if (found.length > 0) caught += 1;
  }
  expect(caught).toBeGreaterThan(FLIPS / 6);
  report('flipped bytes', { flips: FLIPS, caught });
});
