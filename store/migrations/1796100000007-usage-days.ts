import type { MigrationInterface, QueryRunner } from 'typeorm';

const keys = ['day', 'account_id', 'owner_kind', 'owner_id', 'model', 'served_model', 'plugin', 'writer'];
const counts = ['requests', 'completed', 'failed', 'cancelled', 'attempts', 'queued', 'first_tokens'];
const totals = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'queue_ms',
  'first_token_ms',
  'output_ms',
  'output_tokens',
];

/** Usage added up by day, so that it outlives the tasks it is made of. */
export class UsageDays1796100000007 implements MigrationInterface {
  readonly name = 'UsageDays1796100000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "usage_days" (
      ${keys.map((key) => `"${key}" text NOT NULL`).join(', ')},
      ${counts.map((count) => `"${count}" integer NOT NULL`).join(', ')},
      ${totals.map((total) => `"${total}" bigint NOT NULL`).join(', ')},
      CONSTRAINT "pk_usage_days" PRIMARY KEY (${keys.map((key) => `"${key}"`).join(', ')}))`);
    await runner.query(`CREATE INDEX "usage_days_account" ON "usage_days" ("account_id", "day")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "usage_days"`);
  }
}
