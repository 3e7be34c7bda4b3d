/** `soai db …` as processes: backups of a database in use, restores, refusals (C4, J). */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDataDirectory } from '../../activities/lifecycle/data-lock';
import { isMarked, readMarker, unmark } from '../../activities/lifecycle/dirty-marker';
import type { DatabaseCheck, DatabaseRestore, DatabaseStatus } from '../../api/contract/offline';
import { databaseFile, openStore } from '../../store/open-store';
import { assertBuilt } from '../harness/product';
import { newTask } from '../store/samples';
import { temporaryDirectories } from '../store/temporary-directory';
import { soai, type Result } from './offline-command';
import {
  breakTablePages,
  copyDatabaseFiles,
  countTasks,
  crash,
  digests,
  fill,
  flip,
  leaveMarker,
} from './sample-database';

jest.setTimeout(180_000);
beforeAll(assertBuilt);

const newDirectory = temporaryDirectories();

async function filled(tasks = 60): Promise<string> {
  const dir = newDirectory();
  await fill(dir, tasks);
  return dir;
}

const parsed = <T>({ stdout }: Result): T => JSON.parse(stdout) as T;
const refusal = ({ code, stderr }: Result): [number, string] => [
  code,
  (JSON.parse(stderr) as { error: { code: string } }).error.code,
];

test('J: a backup of a database in use is one checked file of its owner, and restores what was there', async () => {
  const dir = newDirectory();
  await fill(dir, 60);
  const unlock = await lockDataDirectory(dir);
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir: dir });
  await store.tasks.accept(newTask({ id: 'in-the-log' }), 0);
  const backup = join(newDirectory(), 'backup.db');
  const made = await soai(dir, 'db', 'backup', backup, '-o', 'json');
  expect([made.code, made.stderr]).toEqual([0, '']);
  expect(parsed(made)).toMatchObject({ backup, checked: true, bytes: statSync(backup).size });
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(await readdir(join(backup, '..'))).toEqual(['backup.db']);
  await store.tasks.accept(newTask({ id: 'after-the-backup' }), 0);

  expect(refusal(await soai(dir, 'db', 'restore', backup, '-o', 'json'))).toEqual([4, 'data_dir_in_use']);
  await store.close();
  await unlock();
  const restored = await soai(dir, 'db', 'restore', backup, '-o', 'json');
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(isMarked(dir)).toBe(false);
  expect(countTasks(dir)).toBe(61);
});

test('J: a backup never replaces a file but with --force, nor the database itself', async () => {
  const dir = await filled();
  const backup = join(newDirectory(), 'backup.db');
  writeFileSync(backup, 'precious');
  expect(refusal(await soai(dir, 'db', 'backup', backup, '-o', 'json'))).toEqual([4, 'file_exists']);
  expect(readFileSync(backup, 'utf8')).toBe('precious');
  expect((await soai(dir, 'db', 'backup', backup, '--force')).code).toBe(0);
  expect(statSync(backup).size).toBeGreaterThan(10_000);
  const before = digests(dir);
  expect(refusal(await soai(dir, 'db', 'backup', databaseFile(dir), '--force', '-o', 'json'))).toEqual([
    2,
    'invalid_target',
  ]);
  expect(digests(dir)).toEqual(before);
  expect(refusal(await soai(newDirectory(), 'db', 'backup', join(dir, 'x'), '-o', 'json'))).toEqual([
    5,
    'database_not_found',
  ]);
});

test('C4: check and status work with the marker standing and change nothing; the check ends with 1 on damage', async () => {
  const dir = newDirectory();
  await crash(await filled(), dir, 20);
  const before = digests(dir);
  const marker = await readMarker(dir);
  const sound = await soai(dir, 'db', 'check', '-o', 'json');
  expect([sound.code, parsed(sound)]).toEqual([0, { file: databaseFile(dir), sound: true, problems: [], guide: null }]);
  expect(parsed<DatabaseStatus>(await soai(dir, 'db', 'status', '-o', 'json'))).toMatchObject({
    unclean: true,
    server_pid: null,
    log_bytes: statSync(`${databaseFile(dir)}-wal`).size,
  });
  expect(digests(dir)).toEqual(before);

  flip(`${databaseFile(dir)}-wal`, 10_000);
  const damaged = await soai(dir, 'db', 'check', '-o', 'json');
  expect([damaged.code, parsed<DatabaseCheck>(damaged)]).toEqual([
    1,
    {
      file: databaseFile(dir),
      sound: false,
      problems: [expect.stringContaining('soai.db-wal is damaged')],
      guide: 'docs/recover-a-database.md',
    },
  ]);
  expect(await readMarker(dir)).toEqual(marker);
  expect(refusal(await soai(dir, 'key', 'create', 'x', '-o', 'json'))).toEqual([4, 'unclean_shutdown']);
});

test('C4: a restore keeps the damaged files byte for byte, and its undo puts them back', async () => {
  const good = await filled();
  const backup = join(newDirectory(), 'backup.db');
  expect((await soai(good, 'db', 'backup', backup)).code).toBe(0);
  const dir = newDirectory();
  await crash(good, dir, 20);
  flip(`${databaseFile(dir)}-wal`, 10_000);
  const before = digests(dir);
  const restored = parsed<DatabaseRestore>(await soai(dir, 'db', 'restore', backup, '-o', 'json'));
  expect(restored.kept.filter((file) => !file.endsWith('-shm'))).toEqual([
    expect.stringMatching(/soai\.db\.before-restore-\d{8}T\d{6}Z$/),
    expect.stringMatching(/soai\.db\.before-restore-\d{8}T\d{6}Z-wal$/),
  ]);
  expect(await readMarker(dir)).toMatchObject({ expects: 'database' });
  expect((await soai(dir, 'db', 'check')).code).toBe(0);
  for (const line of restored.undo) execFileSync('sh', ['-c', line]);
  expect(digests(dir)).toEqual(before);
});

test('J: what is no sound database of this version is not restored, and nothing changes', async () => {
  const dir = await filled();
  const before = digests(dir);
  const scratch = newDirectory();
  copyDatabaseFiles(dir, scratch);
  breakTablePages(scratch);
  const text = join(newDirectory(), 'text.db');
  writeFileSync(text, 'not a database at all'.repeat(100));
  const empty = join(newDirectory(), 'empty.db');
  writeFileSync(empty, '');
  for (const bad of [databaseFile(scratch), text, empty]) {
    expect(refusal(await soai(dir, 'db', 'restore', bad, '-o', 'json'))).toEqual([1, 'backup_unusable']);
  }
  expect(refusal(await soai(dir, 'db', 'restore', join(scratch, 'none'), '-o', 'json'))).toEqual([
    5,
    'backup_not_found',
  ]);
  expect(refusal(await soai(dir, 'db', 'restore', databaseFile(dir), '-o', 'json'))).toEqual([2, 'invalid_source']);
  expect(digests(dir)).toEqual(before);
  expect(refusal(await soai(scratch, 'db', 'backup', join(scratch, 'b'), '-o', 'json'))).toEqual([
    1,
    'database_damaged',
  ]);
  expect(existsSync(join(scratch, 'b'))).toBe(false);
});

test('C4: after an interrupted restore no start goes on without a database, and a second one heals it', async () => {
  const dir = await filled();
  const backup = join(newDirectory(), 'backup.db');
  await soai(dir, 'db', 'backup', backup);
  await leaveMarker(dir, 'restore');
  expect(parsed<DatabaseCheck>(await soai(dir, 'db', 'check', '-o', 'json')).problems).toEqual([
    expect.stringContaining('a restore was interrupted'),
  ]);
  expect((await soai(dir, 'db', 'restore', backup)).code).toBe(0);
  expect((await soai(dir, 'db', 'check')).code).toBe(0);
  await unmark(dir);
  expect(countTasks(dir)).toBe(60);
});

test('J: PostgreSQL has tools of its own for this', async () => {
  const dir = newDirectory();
  const postgres = ['--set', 'DATABASE.TYPE=postgres', '--set', 'DATABASE.URL=postgres://127.0.0.1:9/none'];
  for (const verb of [['check'], ['backup', 'x.db'], ['restore', 'x.db']]) {
    const result = await soai(dir, 'db', ...verb, ...postgres, '-o', 'json');
    expect(refusal(result)).toEqual([4, 'not_sqlite']);
    expect(result.stderr).toContain('pg_dump');
  }
});
