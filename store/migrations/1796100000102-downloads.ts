import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Downloads1796100000102 implements MigrationInterface {
  readonly name = 'Downloads1796100000102';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "downloads" (
      "id" text NOT NULL,
      "plugin_id" text NOT NULL,
      "file_name" text NOT NULL,
      "place" text NOT NULL,
      "url" text,
      "sha256" text,
      "state" text NOT NULL,
      "received_bytes" bigint NOT NULL,
      "total_bytes" bigint,
      "reason" text,
      "sentence" text,
      "created_at" bigint NOT NULL,
      "updated_at" bigint NOT NULL,
      "finished_at" bigint,
      CONSTRAINT "pk_downloads" PRIMARY KEY ("id"))`);
    await runner.query(`CREATE INDEX "downloads_creation" ON "downloads" ("created_at", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "downloads"`);
  }
}
