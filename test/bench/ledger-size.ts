/**
 * H6: what a ledger with a million finished tasks costs. By name, it takes minutes:
 *   node -r ./test/register-typescript.cjs test/bench/ledger-size.ts [rows]
 * Prints one JSON object: figures in ms.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile, openStore } from '../../store/open-store';
import { connectSqlite } from '../../store/sqlite-connection';
import { attemptEnd, newTask, now, settlement, target } from '../store/samples';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const ROWS_A_TRANSACTION = 50_000;
const SAMPLES = 500;

main().catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'soai-ledger-size-'));
  try {
    await (await openStore({ database: { TYPE: 'sqlite' }, dataDir })).close();
    const filledInMs = await timed(() => fill(dataDir));
    // What was written just now is not to be paid for by the first commits that are measured.
    execFileSync('sync');
    const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
    const { tasks, queue } = store;
    const figures: Record<string, readonly number[]> = { claim: [], finish: [], accept: [] };
    for (let at = 0; at < SAMPLES; at += 1) {
      const id = `open-${at}`;
      record(figures, 'accept', await timed(() => tasks.accept(newTask({ id, acceptedAt: now + at }), 100_000)));
      let fence = 0;
      const claim = async (): Promise<void> => {
        fence = (await queue.claim(id, target, 'process-1', now + at, 30_000))!.fence;
      };
      record(figures, 'claim', await timed(claim));
      record(figures, 'finish', await timed(() => queue.finish(id, fence, attemptEnd(), settlement())));
    }
    let cursor: string | undefined;
    for (let page = 0; page < 50; page += 1) {
      const next = async (): Promise<void> => {
        cursor = (await tasks.list({ limit: 200, state: 'completed', cursor })).nextCursor ?? undefined;
      };
      record(figures, 'list page of 200', await timed(next));
      record(figures, 'counts by state', await timed(() => tasks.countByState()));
      record(figures, 'orphans', await timed(() => queue.orphans(now, 200)));
    }
    await store.close();
    const quantiles = Object.fromEntries(
      Object.entries(figures).map(([name, ms]) => [name, { p50: quantile(ms, 0.5), p99: quantile(ms, 0.99) }]),
    );
    process.stdout.write(`${JSON.stringify({ rows: ROWS, filled_in_ms: Math.round(filledInMs), ...quantiles })}\n`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Rows of ended tasks as the store writes them, a transaction for many. */
async function fill(dataDir: string): Promise<void> {
  const connection = await connectSqlite(databaseFile(dataDir), async () => {});
  for (let from = 0; from < ROWS; from += ROWS_A_TRANSACTION) {
    const transaction = await connection.begin();
    const to = Math.min(ROWS, from + ROWS_A_TRANSACTION);
    await transaction.run(
      `WITH RECURSIVE n(i) AS (VALUES (${from}) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})
       INSERT INTO tasks (id, operation, state, reason, owner_kind, owner_id, account_id, model, plan, plugin_id,
         served_model, served_plugin, priority, stream, background, request_id, accepted_at, deadline_at, started_at,
         finished_at, updated_at, incarnation, takeovers, given, bad_lines, queue_ms)
       SELECT 'task-' || i, 'chat', CASE i % 50 WHEN 0 THEN 'failed' ELSE 'completed' END,
         CASE i % 50 WHEN 0 THEN 'upstream_error' END, 'key', 'key-' || (i % 20), 'account-' || (i % 5), 'm1',
         '[{"modelId":"m1","pluginId":"up1","dropped":null}]', 'up1', 'm1', 'up1', 'standard', 0, 0, 'request-' || i,
         ${now} - ${ROWS} + i, ${now}, ${now}, ${now}, ${now}, 'process-0', 0, 1, 0, 1 FROM n`,
    );
    await transaction.commit();
  }
  const transaction = await connection.begin();
  await transaction.run('DELETE FROM ended_counts');
  await transaction.run(`INSERT INTO ended_counts SELECT state, count(*) FROM tasks GROUP BY state`);
  await transaction.commit();
  await connection.close();
}

function record(figures: Record<string, readonly number[]>, name: string, ms: number): void {
  figures[name] = [...(figures[name] ?? []), ms];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]?.toFixed(2));
}
