import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Responses1796100000006 implements MigrationInterface {
  readonly name = 'Responses1796100000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "responses" (
      "id" text NOT NULL,
      "task_id" text NOT NULL,
      "account_id" text NOT NULL,
      "previous_id" text,
      "context_items" integer NOT NULL,
      "created_at" bigint NOT NULL,
      CONSTRAINT "pk_responses" PRIMARY KEY ("id"),
      CONSTRAINT "fk_responses_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`);
    await runner.query('CREATE UNIQUE INDEX "responses_task" ON "responses" ("task_id")');
    await runner.query(`CREATE TABLE "response_events" (
      "task_id" text NOT NULL,
      "first_sequence" integer NOT NULL,
      "last_sequence" integer NOT NULL,
      "attempt" integer NOT NULL,
      "events" text NOT NULL,
      CONSTRAINT "pk_response_events" PRIMARY KEY ("task_id", "first_sequence"),
      CONSTRAINT "fk_response_events_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "response_events"');
    await runner.query('DROP TABLE "responses"');
  }
}
