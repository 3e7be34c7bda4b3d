/**
 * Usage by day: added to in the same transaction that ends a task, so it counts each task once, and
 * read back in groups.
 */
import { randomBytes } from 'node:crypto';
import type { Access } from './access';
import type { Sql, Value } from './sql';
import type { Usage, UsageGroup, UsageSums } from './store';

/** Rows are this process's own: adding to them never waits for, or deadlocks with, another process. */
const writer = randomBytes(6).toString('hex');

const sums = [
  'requests',
  'completed',
  'failed',
  'cancelled',
  'attempts',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'queue_ms',
  'queued',
  'first_token_ms',
  'first_tokens',
  'output_ms',
  'output_tokens',
] as const;

type Column = (typeof sums)[number];

interface EndedUsage {
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** The end, ms since the epoch. */
  readonly at: number;
}

const KEYS = 'day, account_id, owner_kind, owner_id, model, served_model, plugin, writer';

/** A stream's speed is known when content came before the end. */
const OUTPUT_MS = `CASE WHEN first_token_ms IS NOT NULL AND finished_at > accepted_at + first_token_ms
  THEN finished_at - accepted_at - first_token_ms ELSE 0 END`;

const ADD = `INSERT INTO usage_days (${KEYS}, ${sums.join(', ')})
  SELECT CAST($2 AS text), account_id, owner_kind, owner_id, model, COALESCE(served_model, ''), COALESCE(served_plugin, ''), CAST($3 AS text),
    1, CAST($4 AS integer), CAST($5 AS integer), CAST($6 AS integer), (SELECT count(*) FROM attempts WHERE attempts.task_id = $1),
    CAST($7 AS bigint), CAST($8 AS bigint), CAST($9 AS bigint), CAST($10 AS bigint),
    COALESCE(queue_ms, 0), CASE WHEN queue_ms IS NULL THEN 0 ELSE 1 END,
    COALESCE(first_token_ms, 0), CASE WHEN first_token_ms IS NULL THEN 0 ELSE 1 END,
    ${OUTPUT_MS}, CASE WHEN ${OUTPUT_MS} > 0 THEN CAST($8 AS bigint) ELSE 0 END
  FROM tasks WHERE id = $1
  ON CONFLICT (${KEYS}) DO UPDATE SET ${sums.map((name) => `${name} = usage_days.${name} + excluded.${name}`).join(', ')}`;

/** To be called once for a task, after its row has been ended. */
export async function addUsage(sql: Sql, taskId: string, ended: EndedUsage): Promise<void> {
  const counted = (state: EndedUsage['state']): number => (ended.state === state ? 1 : 0);
  await sql.run(ADD, [
    taskId,
    dayOf(ended.at),
    writer,
    counted('completed'),
    counted('failed'),
    counted('cancelled'),
    ended.promptTokens,
    ended.completionTokens,
    ended.cachedTokens,
    ended.reasoningTokens,
  ]);
}

const COLUMN_OF: Readonly<Record<UsageGroup, string>> = {
  day: 'day',
  model: 'model',
  served_model: 'served_model',
  plugin: 'plugin',
  owner: 'owner_id',
  account: 'account_id',
};

type Row = Record<Column, number | string> & Record<string, number | string>;

export const usageOver = ({ read }: Access): Usage => ({
  sums: ({ by, from, to, accountId, model, plugin, ownerId, limit }) =>
    read(async (sql) => {
      const values: Value[] = [from, to];
      const where = ['day >= $1', 'day <= $2'];
      const equal = (column: string, value: string | undefined): void => {
        if (value !== undefined) where.push(`${column} = $${values.push(value)}`);
      };
      equal('account_id', accountId);
      equal('model', model);
      equal('plugin', plugin);
      equal('owner_id', ownerId);
      const groups = by.map((group) => COLUMN_OF[group]);
      const totals = sums.map((name) => `SUM(${name}) AS ${name}`);
      const grouping = groups.length === 0 ? '' : `GROUP BY ${groups.join(', ')} ORDER BY ${groups.join(', ')}`;
      const rows = await sql.rows<Row>(
        `SELECT ${[...groups, ...totals].join(', ')} FROM usage_days WHERE ${where.join(' AND ')}
         ${grouping} LIMIT $${values.push(limit)}`,
        values,
      );
      return rows.map((row) => sumsOf(row, by));
    }),
});

function sumsOf(row: Row, by: readonly UsageGroup[]): UsageSums {
  const of = (name: Column): number => Number(row[name] ?? 0);
  return {
    group: Object.fromEntries(by.map((group) => [group, String(row[COLUMN_OF[group]])])),
    requests: of('requests'),
    completed: of('completed'),
    failed: of('failed'),
    cancelled: of('cancelled'),
    attempts: of('attempts'),
    promptTokens: of('prompt_tokens'),
    completionTokens: of('completion_tokens'),
    cachedTokens: of('cached_tokens'),
    reasoningTokens: of('reasoning_tokens'),
    queueMs: of('queue_ms'),
    queued: of('queued'),
    firstTokenMs: of('first_token_ms'),
    firstTokens: of('first_tokens'),
    outputMs: of('output_ms'),
    outputTokens: of('output_tokens'),
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
