import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { databaseFile, openStore } from '../../store/open-store';
import { connectSqlite } from '../../store/sqlite-connection';
import { temporaryDirectories } from './temporary-directory';

const newDirectory = temporaryDirectories();

/** Runs the accepting process until it has acknowledged `count` tasks; kills it without warning. */
async function acknowledgedBeforeKill(dataDir: string, prefix: string, count: number): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ['-r', join(__dirname, '../register-typescript.cjs'), join(__dirname, 'accepting-process.ts'), dataDir, prefix],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    acknowledged.push(id);
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

test('A4: after SIGKILL every acknowledged task is there whole, none in part, and the file is sound', async () => {
  const dataDir = newDirectory();
  const acknowledged: string[] = [];
  for (const [round, count] of [1, 30, 250].entries()) {
    acknowledged.push(...(await acknowledgedBeforeKill(dataDir, `round-${round}`, count)));
  }
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
  for (const id of acknowledged) {
    expect(JSON.parse((await store.tasks.requestBody(id)) ?? 'null')).toMatchObject({ id });
  }
  await store.close();

  const connection = await connectSqlite(databaseFile(dataDir), async () => {});
  const { reading } = connection;
  await expect(reading.rows('PRAGMA integrity_check')).resolves.toEqual([{ integrity_check: 'ok' }]);
  await expect(reading.rows('PRAGMA foreign_key_check')).resolves.toEqual([]);
  await expect(
    reading.rows(
      `SELECT id FROM tasks WHERE id NOT IN (SELECT task_id FROM queue_items)
         OR id NOT IN (SELECT task_id FROM task_requests)`,
    ),
  ).resolves.toEqual([]);
  await connection.close();
}, 120_000);
