/**
 * C8 of the faults, A1: a power cut at any moment leaves every acknowledged task. What the disk holds then is made from
 * copies of the database and its log taken while tasks are acknowledged, the log cut behind the last sync.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, openStore } from '../../store/open-store';
import { ROOT } from '../harness/product';
import { newTask } from '../store/samples';
import { temporaryDirectories } from '../store/temporary-directory';
import { form, report } from './form';
import { SeededRandom } from './random';

const CUTS = form(25, 250);
/** Of one database: far from its first checkpoint, which would move pages under the copying. */
const CUTS_OF_ONE = 25;
const CLIENTS = 8;
const FRAME_BYTES = 4_096 + 24;
const LOG_HEADER_BYTES = 32;

jest.setTimeout(form(120_000, 600_000));
const newDirectory = temporaryDirectories();

interface Copy {
  readonly dir: string;
  /** Told to a client before the copy was begun. */
  readonly acknowledged: readonly string[];
  /** Bytes of the log when the last of them was told: all of it was synced by then. */
  readonly syncedBytes: number;
}

/** Copies taken at random moments while clients are told of their tasks. The copying is synchronous: no commit ends in it. */
async function copies(count: number, random: SeededRandom): Promise<readonly Copy[]> {
  const dataDir = newDirectory();
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
  const file = databaseFile(dataDir);
  const acknowledged: string[] = [];
  const taken: Copy[] = [];
  let syncedBytes = 0;
  let next = 0;
  let untilCopy = 1;
  const client = async (): Promise<void> => {
    while (taken.length < count) {
      const id = `task-${(next += 1)}`;
      await store.tasks.accept(newTask({ id, body: JSON.stringify({ id, text: 'x'.repeat(random.below(6_000)) }) }), 0);
      acknowledged.push(id);
      // A commit is answered once its frames are synced; what the next group has written by now is kept as well.
      syncedBytes = statSync(`${file}-wal`).size;
      if ((untilCopy -= 1) > 0 || taken.length >= count) continue;
      untilCopy = 1 + random.below(12);
      const dir = newDirectory();
      for (const suffix of ['', '-wal']) copyFileSync(file + suffix, databaseFile(dir) + suffix);
      taken.push({ dir, acknowledged: [...acknowledged], syncedBytes });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await store.close();
  return taken;
}

/** What was written behind the last sync: half a frame of the next transaction, sound or garbled, or nothing of it. */
function tearTail({ dir, syncedBytes }: Copy, random: SeededRandom): void {
  const log = `${databaseFile(dir)}-wal`;
  const whole = readFileSync(log);
  const kept = whole.subarray(0, syncedBytes);
  const lastFrame = kept.subarray(Math.max(LOG_HEADER_BYTES, kept.length - FRAME_BYTES));
  const torn = Buffer.from(lastFrame.subarray(0, random.below(lastFrame.length + 1)));
  if (random.below(2) === 0) for (let at = 0; at < torn.length; at += 512) torn[at] = torn[at]! ^ 0x5a;
  writeFileSync(log, Buffer.concat([kept, torn]));
}

test(`A1, fault C8: after ${CUTS} power cuts every acknowledged task is there, whole, in a sound database`, async () => {
  const random = new SeededRandom(8);
  const cuts: Copy[] = [];
  while (cuts.length < CUTS) cuts.push(...(await copies(CUTS_OF_ONE, random)));
  let most = 0;
  for (const cut of cuts) {
    tearTail(cut, random);
    using database = new DatabaseSync(databaseFile(cut.dir));
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    const there = new Set(
      database
        .prepare(
          `SELECT tasks.id FROM tasks JOIN queue_items ON queue_items.task_id = tasks.id
           JOIN task_requests ON task_requests.task_id = tasks.id`,
        )
        .all()
        .map(({ id }) => id),
    );
    expect(cut.acknowledged.filter((id) => !there.has(id))).toEqual([]);
    expect(database.prepare('SELECT count(*) AS n FROM tasks').get()).toEqual({ n: there.size });
    most = Math.max(most, cut.acknowledged.length);
  }
  report('power cuts', { cuts: cuts.length, acknowledged_by_the_last: most });
});

const strace = spawnSync('strace', ['-V']).status === 0;

/**
 * The proof that the copies above rest on: between the last write to the log and the word to the client there is a sync
 * of the log. Skipped where strace is not installed or not allowed.
 */
(strace ? test : test.skip)('A1: the log is synced before the word of acceptance leaves the process', () => {
  const trace = join(newDirectory(), 'trace');
  const script = `
    const { openStore } = require(${JSON.stringify(join(ROOT, 'store/open-store.ts'))});
    const { newTask } = require(${JSON.stringify(join(ROOT, 'test/store/samples.ts'))});
    const { writeSync } = require('node:fs');
    openStore({ database: { TYPE: 'sqlite' }, dataDir: ${JSON.stringify(newDirectory())} }).then(async (store) => {
      for (let at = 0; at < 3; at++) {
        writeSync(1, 'asking-' + at + '\\n');
        await store.tasks.accept(newTask({ id: 'task-' + at }), 0);
        writeSync(1, 'accepted-' + at + '\\n');
      }
      await store.close();
    });`;
  const watched = ['-f', '-y', '-s', '64', '-e', 'trace=fsync,fdatasync,write,pwrite64', '-o', trace];
  const node = [process.execPath, '-r', join(ROOT, 'test/register-typescript.cjs'), '-e', script];
  const { status, stdout } = spawnSync('strace', [...watched, ...node], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('accepted-2') });
  const lines = readFileSync(trace, 'utf8').split('\n');
  for (let at = 0; at < 3; at++) {
    const asked = lines.findIndex((line) => line.includes(`asking-${at}`));
    const told = lines.findIndex((line) => line.includes(`accepted-${at}`));
    const between = lines.slice(asked, told);
    const wrote = between.findLastIndex((line) => /\bpwrite64\(\d+<[^>]*soai\.db-wal>/.test(line));
    const synced = between.findLastIndex((line) => /\bf(data)?sync\(\d+<[^>]*soai\.db-wal>/.test(line));
    expect({ at, wrote: wrote >= 0, syncedAfterwards: synced > wrote }).toEqual({
      at,
      wrote: true,
      syncedAfterwards: true,
    });
  }
});
