import { temporaryDirectories } from '../test/store/temporary-directory';
import type { Access } from './access';
import { runMigrations } from './migrate';
import { databaseFile } from './open-store';
import { queueOver } from './queue';
import { responsesOver } from './responses';
import type { Connection, Sql } from './sql';
import { connectSqlite } from './sqlite-connection';
import { tasksOver } from './tasks';
import { settlement, target } from '../test/store/samples';

const newDirectory = temporaryDirectories();
let connection: Connection;

beforeAll(async () => {
  connection = await connectSqlite(databaseFile(newDirectory()), async () => {});
  await runMigrations(connection);
});

afterAll(() => connection.close());

/** Collects the plan of each statement that the repositories make, running none of them. */
async function plansOf(work: (access: Access) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const explain = async (text: string): Promise<void> => {
    const rows = await connection.reading.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    plans.push(...rows.map((row) => row.detail));
  };
  const explaining: Sql = {
    ...connection.reading,
    // Every RETURNING gets a row, so that the statements after it are seen too.
    rows: async <Row>(text: string): Promise<Row[]> => {
      await explain(text);
      return text.includes('RETURNING') ? [{ attempts: 2, attempt: 2, fence: 2 } as Row] : [];
    },
    run: async (text) => {
      await explain(text);
      return 1;
    },
  };
  await work({
    read: (unit) => unit(explaining),
    write: (unit) => unit(explaining),
    writeTogether: async (batch, item) => (await batch.run(explaining, [item]))[0]!,
  });
  return plans;
}

const end = { outcome: 'ok', code: null, httpStatus: 200, sentence: null, retryDelayMs: null, at: 1 } as const;
const seat = { scope: 'plugin', id: 'up1', limit: 1 } as const;
const cursor = Buffer.from('[1,"a"]').toString('base64url');

test.each([
  ['claim', (access: Access) => queueOver(access).claim('t', target, 'p', 1, 1)],
  ['claim with seats', (access: Access) => queueOver(access).claim('t', target, 'p', 1, 1, [seat])],
  ['renew', (access: Access) => queueOver(access).renew('p', ['t'], 1, 1)],
  ['release', (access: Access) => queueOver(access).release('t', 1, end)],
  ['finish', (access: Access) => queueOver(access).finish('t', 1, end, settlement())],
  ['standing', (access: Access) => queueOver(access).standing('p', ['t'])],
  ['endOrphan', (access: Access) => queueOver(access).endOrphan('t', settlement(), 1)],
  ['takeOver', (access: Access) => queueOver(access).takeOver('t', 'p', 1)],
  ['settle', (access: Access) => tasksOver(access).settle('t', 'p', settlement())],
  ['requestCancel', (access: Access) => tasksOver(access).requestCancel('t', 'operator', 1)],
  ['unbindIdempotency', (access: Access) => tasksOver(access).unbindIdempotency('t')],
  ['a response', (access: Access) => responsesOver(access).get('r')],
  ['erase', (access: Access) => responsesOver(access).erase('r')],
  ['the events of a response', (access: Access) => responsesOver(access).events('t', 1, 10)],
  ['the list', (access: Access) => tasksOver(access).list({ limit: 10 })],
  ['the list from a cursor', (access: Access) => tasksOver(access).list({ limit: 10, cursor })],
  ...(['state', 'ownerId', 'accountId', 'pluginId', 'model'] as const).map(
    (filter) =>
      [
        `the list by ${filter}`,
        (access: Access) => tasksOver(access).list({ [filter]: 'x', limit: 10, cursor }),
      ] as const,
  ),
] as const)('H6: %s reads by an index and sorts nothing', async (_, work) => {
  const plans = await plansOf(work);
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) {
    expect(plan).not.toMatch(/TEMP B-TREE/);
    expect(plan).not.toMatch(/^SCAN (?!tasks USING INDEX tasks_acceptance|json_each)/);
  }
});

test.each([
  ['orphans', (access: Access) => queueOver(access).orphans(1, 10)],
  ['open tasks', (access: Access) => tasksOver(access).open(10)],
])('H6: %s walk the queue, never the finished tasks', async (_, work) => {
  const plans = await plansOf(work);
  expect(plans[0]).toMatch(/^SCAN (item|queue_items) USING (COVERING )?INDEX queue_items_order/);
  for (const plan of plans.slice(1)) expect(plan).not.toMatch(/^SCAN|TEMP B-TREE/);
});

test('H6: the counts by state look at open tasks only', async () => {
  const plans = await plansOf((access) => tasksOver(access).countByState());
  expect(plans.filter((plan) => plan.startsWith('SCAN'))).toEqual([
    expect.stringMatching(/^SCAN queue_items/),
    'SCAN ended_counts',
  ]);
});
