import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts that several processes share (spec A5) or that are too many rows to count each time (fault H6). */
export class Counters1796100000005 implements MigrationInterface {
  readonly name = 'Counters1796100000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "queue_items" ADD COLUMN "plugin_seat" text');
    await runner.query('ALTER TABLE "queue_items" ADD COLUMN "owner_seat" text');
    await runner.query(`CREATE TABLE "seat_counts" (
      "scope" text NOT NULL,
      "id" text NOT NULL,
      "n" integer NOT NULL,
      CONSTRAINT "pk_seat_counts" PRIMARY KEY ("scope", "id"))`);
    await runner.query(`CREATE TABLE "ended_counts" (
      "state" text NOT NULL,
      "n" integer NOT NULL,
      CONSTRAINT "pk_ended_counts" PRIMARY KEY ("state"))`);
    await runner.query(`INSERT INTO "ended_counts" ("state", "n")
      SELECT "state", count(*) FROM "tasks" WHERE "state" IN ('completed', 'failed', 'cancelled') GROUP BY "state"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "ended_counts"');
    await runner.query('DROP TABLE "seat_counts"');
    await runner.query('ALTER TABLE "queue_items" DROP COLUMN "owner_seat"');
    await runner.query('ALTER TABLE "queue_items" DROP COLUMN "plugin_seat"');
  }
}
