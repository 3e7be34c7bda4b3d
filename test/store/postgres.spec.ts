import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../store/errors';
import { GroupCommit } from '../../store/group-commit';
import { openStore } from '../../store/open-store';
import { connectPostgres } from '../../store/postgres-connection';
import type { Store } from '../../store/store';
import { storeConformance } from './conformance';
import { schemaConformance } from './conformance/schema';
import { postgresBinaries, startPostgres, type PostgresCluster } from './postgres-cluster';
import { newTask, now, target } from './samples';

/** Connections that a store keeps at most. */
const POOL = 10;

/** Once more than there are pooled connections: each may be dead without knowing it yet. */
async function patiently<T>(work: () => Promise<T>, tries = POOL + 1): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || tries === 1) throw error;
    return patiently(work, tries - 1);
  }
}

const bin = postgresBinaries();
if (!bin) {
  process.stderr.write(
    'SKIPPED: the store on PostgreSQL (test/store/postgres.spec.ts): no server under /usr/lib/postgresql. ' +
      'Install it with: apt-get install postgresql\n',
  );
}

(bin ? describe : describe.skip)('the store on PostgreSQL', () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await startPostgres(bin!);
  }, 60_000);

  afterAll(() => cluster.stop());

  const openAt = (url: string): Promise<Store> =>
    openStore({ database: { TYPE: 'postgres', URL: url }, dataDir: '/nonexistent' });

  storeConformance(async () => openAt(await cluster.createSchema()));

  describe('schema', () => schemaConformance(async () => connectPostgres(await cluster.createSchema(), () => {})));

  describe('several processes', () => {
    let stores: Store[];

    beforeEach(async () => {
      const url = await cluster.createSchema();
      // At once, so that they also race for the migrations.
      stores = await Promise.all([1, 2, 3].map(() => openAt(url)));
    });

    afterEach(() => Promise.all(stores.map((store) => store.close())));

    test('A3: accepts through three processes do not overshoot the hard limit', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 150 }, (_, index) => stores[index % 3]!.tasks.accept(newTask({ id: `t${index}` }), 40)),
      );
      expect(outcomes.filter((outcome) => outcome.kind === 'accepted')).toHaveLength(40);
      await expect(stores[0]!.tasks.open(1_000)).resolves.toHaveLength(40);
    });

    test('A9: one key through three processes is bound once', async () => {
      const idempotency = { key: 'k', route: '/v1/chat/completions', bodyHash: 'h', expiresAt: now + 86_400_000 };
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          stores[index % 3]!.tasks.accept(newTask({ id: `t${index}`, idempotency }), 0),
        ),
      );
      expect(outcomes.filter((outcome) => outcome.kind === 'accepted')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome.kind === 'duplicate')).toHaveLength(29);
      await expect(stores[0]!.tasks.open(1_000)).resolves.toHaveLength(1);
    });

    test('C1: three processes that take over and claim the same tasks never share one', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `t${index}`);
      await Promise.all(ids.map((id) => stores[0]!.tasks.accept(newTask({ id }), 0)));
      const claims = await Promise.all(
        stores.flatMap((store, index) =>
          ids.map(async (id) => {
            await store.queue.takeOver(id, `process-${index}`, now);
            return store.queue.claim(id, target, `process-${index}`, now, 30_000);
          }),
        ),
      );
      expect(claims.filter((claim) => claim !== null)).toHaveLength(30);
      for (const id of ids) await expect(stores[1]!.tasks.attempts(id)).resolves.toHaveLength(1);
    });
  });

  test('T95: when its connections are cut, what was acknowledged is there and the store recovers by itself', async () => {
    const store = await openAt(await cluster.createSchema());
    try {
      const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
      const outcomes = Promise.allSettled(ids.map((id) => store.tasks.accept(newTask({ id }), 0)));
      await cluster.disconnectAll();
      for (const [index, outcome] of (await outcomes).entries()) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(DatabaseUnavailable);
        else expect(await patiently(() => store.tasks.get(ids[index]!))).not.toBeNull();
      }
      await expect(patiently(() => store.tasks.accept(newTask({ id: 'after' }), 0))).resolves.toEqual({
        kind: 'accepted',
      });
    } finally {
      await store.close();
    }
  });

  test('T95: a connection cut between two statements of a transaction fails its unit only, as DatabaseUnavailable', async () => {
    const connection = await connectPostgres(await cluster.createSchema(), () => {});
    const writer = new GroupCommit(() => connection.begin());
    try {
      const unit = writer.write(async (sql) => {
        await sql.run('SELECT 1');
        await cluster.disconnectAll();
        // Until the driver has seen it: what it says to the next statement is another error than in mid-statement.
        while (sql.manager.queryRunner?.isReleased !== true) await nextTurn();
        await sql.run('SELECT 1');
      });
      await expect(unit).rejects.toBeInstanceOf(DatabaseUnavailable);
      await expect(patiently(() => writer.write((sql) => sql.rows('SELECT 1 AS one')))).resolves.toEqual([{ one: 1 }]);
    } finally {
      await writer.close();
      await connection.close();
    }
  });

  test('T95: a server that is not there is DatabaseUnavailable, without the password in the message', async () => {
    const url = 'postgres://soai:hunter2@localhost/none?host=/nonexistent';
    const failure = await openAt(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnavailable);
    expect(String(failure)).not.toContain('hunter2');
  });
});
