import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PluginStates1796100000003 implements MigrationInterface {
  readonly name = 'PluginStates1796100000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "plugin_states" (
      "plugin_id" text NOT NULL,
      "circuit_state" text NOT NULL,
      "circuit_revision" integer NOT NULL,
      "failures" text NOT NULL,
      "failure_count" integer NOT NULL,
      "last_failure_at" bigint,
      "retry_at" bigint,
      "health" text NOT NULL,
      "recovery_attempts" integer NOT NULL,
      "flapping" boolean NOT NULL,
      "transitions" text NOT NULL,
      "last_ping_at" bigint,
      "quarantine_state" text NOT NULL,
      "quarantine_reason" text,
      "quarantine_since" bigint,
      "updated_at" bigint NOT NULL,
      CONSTRAINT "pk_plugin_states" PRIMARY KEY ("plugin_id"))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "plugin_states"');
  }
}
