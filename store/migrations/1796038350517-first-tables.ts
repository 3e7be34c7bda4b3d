import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from './column-types';

const accounts = [
  `CREATE TABLE "accounts" (
    "id" text NOT NULL,
    "name" text NOT NULL,
    "role" text NOT NULL,
    "password_hash" text,
    "disabled" boolean NOT NULL,
    "created_at" bigint NOT NULL,
    CONSTRAINT "pk_accounts" PRIMARY KEY ("id"))`,
  `CREATE UNIQUE INDEX "accounts_name" ON "accounts" ("name")`,

  `CREATE TABLE "api_keys" (
    "id" text NOT NULL,
    "name" text NOT NULL,
    "account_id" text NOT NULL,
    "prefix" text NOT NULL,
    "hash" text NOT NULL,
    "created_at" bigint NOT NULL,
    "expires_at" bigint,
    "revoked_at" bigint,
    "last_used_at" bigint,
    CONSTRAINT "pk_api_keys" PRIMARY KEY ("id"),
    CONSTRAINT "fk_api_keys_account_id" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE CASCADE)`,
  `CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" ("hash")`,
  `CREATE INDEX "api_keys_account" ON "api_keys" ("account_id")`,

  `CREATE TABLE "sessions" (
    "hash" text NOT NULL,
    "account_id" text NOT NULL,
    "csrf" text NOT NULL,
    "created_at" bigint NOT NULL,
    "expires_at" bigint NOT NULL,
    CONSTRAINT "pk_sessions" PRIMARY KEY ("hash"),
    CONSTRAINT "fk_sessions_account_id" FOREIGN KEY ("account_id") REFERENCES "accounts" ("id") ON DELETE CASCADE)`,
  `CREATE INDEX "sessions_account" ON "sessions" ("account_id")`,
  `CREATE INDEX "sessions_expiry" ON "sessions" ("expires_at")`,

  `CREATE TABLE "setup_tokens" (
    "hash" text NOT NULL,
    "expires_at" bigint NOT NULL,
    CONSTRAINT "pk_setup_tokens" PRIMARY KEY ("hash"))`,
];

const tasks = [
  `CREATE TABLE "tasks" (
    "id" text NOT NULL,
    "operation" text NOT NULL,
    "state" text NOT NULL,
    "reason" text,
    "sentence" text,
    "owner_kind" text NOT NULL,
    "owner_id" text NOT NULL,
    "account_id" text NOT NULL,
    "model" text NOT NULL,
    "plan" text NOT NULL,
    "plugin_id" text,
    "served_model" text,
    "served_plugin" text,
    "priority" text NOT NULL,
    "stream" boolean NOT NULL,
    "background" boolean NOT NULL,
    "request_id" text NOT NULL,
    "accepted_at" bigint NOT NULL,
    "deadline_at" bigint NOT NULL,
    "started_at" bigint,
    "finished_at" bigint,
    "updated_at" bigint NOT NULL,
    "incarnation" text NOT NULL,
    "takeovers" integer NOT NULL,
    "cancel_requested_at" bigint,
    "cancel_reason" text,
    "given" boolean NOT NULL,
    "bad_lines" integer NOT NULL,
    "usage" text,
    "first_token_ms" bigint,
    "queue_ms" bigint,
    CONSTRAINT "pk_tasks" PRIMARY KEY ("id"))`,
  `CREATE INDEX "tasks_acceptance" ON "tasks" ("accepted_at", "id")`,
  `CREATE INDEX "tasks_state" ON "tasks" ("state", "accepted_at", "id")`,
  `CREATE INDEX "tasks_owner" ON "tasks" ("owner_id", "accepted_at", "id")`,
  `CREATE INDEX "tasks_account" ON "tasks" ("account_id", "accepted_at", "id")`,
  `CREATE INDEX "tasks_plugin" ON "tasks" ("plugin_id", "accepted_at", "id")`,
  `CREATE INDEX "tasks_model" ON "tasks" ("model", "accepted_at", "id")`,

  `CREATE TABLE "task_requests" (
    "task_id" text NOT NULL,
    "body" text NOT NULL,
    CONSTRAINT "pk_task_requests" PRIMARY KEY ("task_id"),
    CONSTRAINT "fk_task_requests_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`,

  `CREATE TABLE "task_answers" (
    "task_id" text NOT NULL,
    "content_type" text NOT NULL,
    "body" text NOT NULL,
    CONSTRAINT "pk_task_answers" PRIMARY KEY ("task_id"),
    CONSTRAINT "fk_task_answers_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`,

  `CREATE TABLE "queue_items" (
    "task_id" text NOT NULL,
    "enqueued_at" bigint NOT NULL,
    "incarnation" text NOT NULL,
    "holder" text,
    "lease_until" bigint,
    "fence" integer NOT NULL,
    "attempts" integer NOT NULL,
    "cancel_requested" boolean NOT NULL,
    CONSTRAINT "pk_queue_items" PRIMARY KEY ("task_id"),
    CONSTRAINT "fk_queue_items_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`,
  `CREATE INDEX "queue_items_order" ON "queue_items" ("enqueued_at", "task_id")`,

  `CREATE TABLE "attempts" (
    "task_id" text NOT NULL,
    "number" integer NOT NULL,
    "fence" integer NOT NULL,
    "model_id" text NOT NULL,
    "plugin_id" text NOT NULL,
    "started_at" bigint NOT NULL,
    "finished_at" bigint,
    "outcome" text NOT NULL,
    "code" text,
    "http_status" integer,
    "sentence" text,
    "retry_delay_ms" bigint,
    CONSTRAINT "pk_attempts" PRIMARY KEY ("task_id", "number"),
    CONSTRAINT "fk_attempts_task_id" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE)`,

  `CREATE TABLE "idempotency_keys" (
    "owner_id" text NOT NULL,
    "route" text NOT NULL,
    "key" text NOT NULL,
    "task_id" text NOT NULL,
    "body_hash" text NOT NULL,
    "expires_at" bigint NOT NULL,
    CONSTRAINT "pk_idempotency_keys" PRIMARY KEY ("owner_id", "route", "key"))`,
  `CREATE INDEX "idempotency_keys_task" ON "idempotency_keys" ("task_id")`,
  `CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" ("expires_at")`,
];

const operations = (counter: string) => [
  `CREATE TABLE "processes" (
    "incarnation" text NOT NULL,
    "pid" integer NOT NULL,
    "host" text NOT NULL,
    "started_at" bigint NOT NULL,
    "heartbeat_at" bigint NOT NULL,
    "stopped_at" bigint,
    CONSTRAINT "pk_processes" PRIMARY KEY ("incarnation"))`,

  `CREATE TABLE "lifecycle_events" (
    ${counter},
    "kind" text NOT NULL,
    "detail" text NOT NULL,
    "at" bigint NOT NULL)`,

  `CREATE TABLE "plugins" (
    "id" text NOT NULL,
    "package" text NOT NULL,
    "settings" text NOT NULL,
    "max_concurrent_tasks" integer NOT NULL,
    "enabled" boolean NOT NULL,
    "created_at" bigint NOT NULL,
    CONSTRAINT "pk_plugins" PRIMARY KEY ("id"))`,

  `CREATE TABLE "models" (
    "id" text NOT NULL,
    "plugin_id" text NOT NULL,
    "upstream_model" text NOT NULL,
    "aliases" text NOT NULL,
    "capabilities" text NOT NULL,
    "modalities" text NOT NULL,
    "enabled" boolean NOT NULL,
    "created_at" bigint NOT NULL,
    CONSTRAINT "pk_models" PRIMARY KEY ("id"))`,
  `CREATE INDEX "models_plugin" ON "models" ("plugin_id")`,
];

/** Children before the tables they refer to. */
const dropOrder = [
  'models',
  'plugins',
  'lifecycle_events',
  'processes',
  'idempotency_keys',
  'attempts',
  'queue_items',
  'task_answers',
  'task_requests',
  'tasks',
  'setup_tokens',
  'sessions',
  'api_keys',
  'accounts',
];

export class FirstTables1796038350517 implements MigrationInterface {
  readonly name = 'FirstTables1796038350517';

  async up(runner: QueryRunner): Promise<void> {
    const counter = columnTypes(runner).counter('id', 'pk_lifecycle_events');
    for (const statement of [...accounts, ...tasks, ...operations(counter)]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of dropOrder) await runner.query(`DROP TABLE "${table}"`);
  }
}
