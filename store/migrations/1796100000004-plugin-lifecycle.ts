import type { MigrationInterface, QueryRunner } from 'typeorm';

const packages = `CREATE TABLE "plugin_packages" (
  "digest" text NOT NULL,
  "name" text NOT NULL,
  "version" text NOT NULL,
  "manifest" text NOT NULL,
  "files" text NOT NULL,
  "source" text NOT NULL,
  "installed_at" bigint NOT NULL,
  CONSTRAINT "pk_plugin_packages" PRIMARY KEY ("digest"))`;

const columns = ['options', 'cloned_from', 'package_digest', 'files'];

export class PluginLifecycle1796100000004 implements MigrationInterface {
  readonly name = 'PluginLifecycle1796100000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(packages);
    for (const column of columns) await runner.query(`ALTER TABLE "plugins" ADD COLUMN "${column}" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of columns) await runner.query(`ALTER TABLE "plugins" DROP COLUMN "${column}"`);
    await runner.query('DROP TABLE "plugin_packages"');
  }
}
