/** docs/recover-a-database.md, done: its own commands on files damaged for the purpose. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isMarked } from '../../activities/lifecycle/dirty-marker';
import { databaseFile } from '../../store/open-store';
import { assertBuilt, ROOT } from '../harness/product';
import { temporaryDirectories } from '../store/temporary-directory';
import { environment, run, soai, type Result } from './offline-command';
import { breakLeaf, breakTablePages, countTasks, crash, digests, fill } from './sample-database';

jest.setTimeout(180_000);
beforeAll(assertBuilt);

const newDirectory = temporaryDirectories();
const guide = readFileSync(join(ROOT, 'docs/recover-a-database.md'), 'utf8');

/** The shell blocks of a numbered step. */
function commandsOf(step: number): string[] {
  const section = guide.split(/^## /m).find((each) => each.startsWith(`${step}. `)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
}

/** Runs one block as a person would, with the guide's variables set. */
function follow(block: string | undefined, dirs: { data: string; aside: string; backup?: string }): Promise<Result> {
  if (block === undefined) throw new Error('the guide has no such block');
  const env = { ...environment(dirs.data), DATA: dirs.data, ASIDE: dirs.aside, BACKUP: dirs.backup ?? '' };
  return run('bash', ['-euc', block], env, newDirectory());
}

/** A crashed run of 80 tasks, 20 of them in the log alone; and a backup of the first 60. */
async function crashedWithBackup(): Promise<{ data: string; aside: string; backup: string }> {
  const [good, data, aside] = [newDirectory(), newDirectory(), newDirectory()];
  await fill(good, 60);
  const backup = join(newDirectory(), 'backup.db');
  expect((await soai(good, 'db', 'backup', backup)).code).toBe(0);
  await crash(good, data, 20);
  return { data, aside, backup };
}

test('guide: steps 2, 3, 4 and 7 restore a backup over a database whose log is gone', async () => {
  const dirs = await crashedWithBackup();
  rmSync(`${databaseFile(dirs.data)}-wal`);
  const before = digests(dirs.data);
  expect((await follow(commandsOf(2)[0], dirs)).code).toBe(0);
  expect(digests(dirs.aside)).toEqual(before);
  const check = await follow(commandsOf(3)[0], dirs);
  expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(/its log .*soai\.db-wal.* is gone/)]);
  const restored = await follow(commandsOf(4)[0], dirs);
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('To undo')]);
  expect(countTasks(dirs.data)).toBe(60);
  // The start itself is the harness's business: here the check that it makes, and the daily backup.
  const [checkAndStart, backup] = commandsOf(7);
  expect((await follow(checkAndStart?.replace('soai start', ''), dirs)).code).toBe(0);
  expect((await follow(backup, dirs)).code).toBe(0);
  expect(isMarked(dirs.data)).toBe(true);
});

test('guide: step 5 goes on without a lost log', async () => {
  const dirs = await crashedWithBackup();
  rmSync(`${databaseFile(dirs.data)}-wal`);
  await follow(commandsOf(2)[0], dirs);
  expect((await follow(commandsOf(5)[0], dirs)).code).toBe(0);
  expect((await follow(commandsOf(3)[0], dirs)).code).toBe(0);
  expect(countTasks(dirs.data)).toBe(60);
});

test('guide: step 5 refuses when the file is damaged too', async () => {
  const dirs = await crashedWithBackup();
  rmSync(`${databaseFile(dirs.data)}-wal`);
  breakTablePages(dirs.data);
  await follow(commandsOf(2)[0], dirs);
  const before = digests(dirs.data);
  expect((await follow(commandsOf(5)[0], dirs)).code).toBe(1);
  expect(digests(dirs.data)).toEqual(before);
});

const shell = spawnSync('sqlite3', ['--version']).status === 0;
/** `.recover` needs SQLITE_ENABLE_DBPAGE_VTAB, which Debian's build does not have. */
const recovers = shell && spawnSync('sqlite3', [':memory:', 'SELECT count(*) FROM sqlite_dbpage']).status === 0;

describe.each([
  ['.recover', 0, recovers],
  ['.dump', 1, shell],
] as const)('guide: step 6 by %s', (_what, block, possible) => {
  const why = possible ? '' : " (skipped: the sqlite3 shell here can't do it, or there is none)";

  (possible ? test : test.skip)(`saves what can be read of damaged pages${why}`, async () => {
    const dirs = { data: newDirectory(), aside: newDirectory() };
    await fill(dirs.data, 200);
    breakLeaf(dirs.data, 'task_requests');
    expect((await soai(dirs.data, 'db', 'check')).code).toBe(1);
    await follow(commandsOf(2)[0], dirs);
    const commands = commandsOf(6);
    await follow(commands[block], dirs);
    const recovered = await follow(commands[2], dirs);
    expect([recovered.code, recovered.stdout]).toEqual([0, '200\n']);
    expect(await follow(commands[3], dirs)).toMatchObject({ code: 0 });
    expect((await soai(dirs.data, 'db', 'check')).code).toBe(0);
    expect(countTasks(dirs.data)).toBe(200);
    const requests = execFileSync('sqlite3', [databaseFile(dirs.data), 'SELECT count(*) FROM task_requests']);
    expect(Number(requests.toString())).toBeGreaterThan(150);
    expect(Number(requests.toString())).toBeLessThan(200);
  });
});

test('guide: the end of step 6 begins anew, the old files kept', async () => {
  const dirs = { data: newDirectory(), aside: newDirectory() };
  await crash(await filledDirectory(), dirs.data, 5);
  const before = digests(dirs.data);
  expect((await follow(commandsOf(6)[4], dirs)).code).toBe(0);
  expect(digests(dirs.data)).toEqual([null, null]);
  expect(isMarked(dirs.data)).toBe(false);
  expect(digests(join(dirs.aside, 'removed'))).toEqual(before);
});

async function filledDirectory(): Promise<string> {
  const dir = newDirectory();
  await fill(dir, 20);
  return dir;
}
