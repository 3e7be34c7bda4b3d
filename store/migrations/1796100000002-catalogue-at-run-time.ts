import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = [
  `CREATE TABLE "virtual_models" (
    "name" text NOT NULL,
    "strategy" text NOT NULL,
    "members" text NOT NULL,
    "enabled" boolean NOT NULL,
    "created_at" bigint NOT NULL,
    "updated_at" bigint NOT NULL,
    CONSTRAINT "pk_virtual_models" PRIMARY KEY ("name"))`,

  `CREATE TABLE "model_names" (
    "name_key" text NOT NULL,
    "holder_kind" text NOT NULL,
    "holder" text NOT NULL,
    CONSTRAINT "pk_model_names" PRIMARY KEY ("name_key"))`,
  `CREATE INDEX "model_names_holder" ON "model_names" ("holder_kind", "holder")`,

  `CREATE TABLE "revisions" (
    "subject" text NOT NULL,
    "revision" integer NOT NULL,
    CONSTRAINT "pk_revisions" PRIMARY KEY ("subject"))`,
  `INSERT INTO "revisions" ("subject", "revision") VALUES ('catalogue', 0)`,

  `ALTER TABLE "models" ADD "context_tokens" integer`,
];

/** The names that models hold already. */
async function claimNames(runner: QueryRunner): Promise<void> {
  const models = (await runner.query(`SELECT "id", "aliases" FROM "models" ORDER BY "created_at", "id"`)) as {
    id: string;
    aliases: string;
  }[];
  const holders = new Map<string, string>();
  const claim = (name: string, id: string): void => {
    if (!holders.has(name.toLowerCase())) holders.set(name.toLowerCase(), id);
  };
  for (const { id } of models) claim(id, id);
  for (const { id, aliases } of models) for (const alias of JSON.parse(aliases) as string[]) claim(alias, id);
  for (const [nameKey, id] of holders) {
    await runner.query(`INSERT INTO "model_names" ("name_key", "holder_kind", "holder") VALUES ($1, 'model', $2)`, [
      nameKey,
      id,
    ]);
  }
}

export class CatalogueAtRunTime1796100000002 implements MigrationInterface {
  readonly name = 'CatalogueAtRunTime1796100000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of tables) await runner.query(statement);
    await claimNames(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "models" DROP COLUMN "context_tokens"`);
    for (const table of ['revisions', 'model_names', 'virtual_models']) await runner.query(`DROP TABLE "${table}"`);
  }
}
