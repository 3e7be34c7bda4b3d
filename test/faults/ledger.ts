/** The product's database as an outsider reads it, and a witness inside it of every change of a task's state. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../store/open-store';

export interface LedgerTask {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly finished_at: number | null;
  readonly takeovers: number;
  readonly prompt: string;
  readonly answer: string | null;
}

/** Reads beside a running server too: readers don't disturb a WAL's writer. */
export function reading<T>(dataDir: string, look: (database: DatabaseSync) => T): T {
  using database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  database.exec('PRAGMA busy_timeout = 5000');
  return look(database);
}

export function tasksIn(dataDir: string): readonly LedgerTask[] {
  const rows = reading(dataDir, (database) =>
    database
      .prepare(
        `SELECT tasks.id, state, reason, finished_at, takeovers, requests.body AS request, answers.body AS answer
         FROM tasks JOIN task_requests AS requests ON requests.task_id = tasks.id
         LEFT JOIN task_answers AS answers ON answers.task_id = tasks.id`,
      )
      .all(),
  ) as unknown as (LedgerTask & { request: string })[];
  return rows.map(({ request, answer, ...task }) => ({
    ...task,
    prompt: (JSON.parse(request) as { messages: { content: string }[] }).messages.at(-1)?.content ?? '',
    answer: answer && ((JSON.parse(answer) as Completion).choices[0]?.message.content ?? null),
  }));
}

interface Completion {
  readonly choices: { readonly message: { readonly content: string } }[];
}

/** Tasks without a terminal state. */
export function openTasks(dataDir: string): number {
  const row = reading(dataDir, (database) => database.prepare('SELECT count(*) AS open FROM queue_items').get());
  return (row as { open: number }).open;
}

/** Writes down each change of a task's state, whatever process makes it. The server must not run. */
export function installWitness(dataDir: string): void {
  using database = new DatabaseSync(databaseFile(dataDir));
  database.exec(`
    CREATE TABLE IF NOT EXISTS witness (at INTEGER PRIMARY KEY, task_id TEXT, was TEXT, became TEXT);
    CREATE TRIGGER IF NOT EXISTS witness_of_states AFTER UPDATE OF state ON tasks WHEN old.state <> new.state
    BEGIN INSERT INTO witness (task_id, was, became) VALUES (new.id, old.state, new.state); END;`);
}

const TERMINAL = `('completed', 'failed', 'cancelled')`;

/** What must be true of the database of a stopped or idle server (O1, O2, O7); empty when it is. */
export function ledgerProblems(dataDir: string): readonly string[] {
  return reading(dataDir, (database) => {
    const all = (sql: string): Record<string, unknown>[] => database.prepare(sql).all();
    const rows = (what: string, sql: string): string[] => all(sql).map((row) => `${what}: ${JSON.stringify(row)}`);
    const checks = all('PRAGMA integrity_check').map((row) => String(row['integrity_check']));
    const witnessed = all(`SELECT name FROM sqlite_master WHERE name = 'witness'`).length > 0;
    return [
      ...checks.filter((line) => line !== 'ok').map((line) => `integrity: ${line}`),
      ...rows('foreign key', 'PRAGMA foreign_key_check'),
      ...rows('left in the queue', 'SELECT task_id, holder, attempts FROM queue_items'),
      ...rows('no terminal state', `SELECT id, state FROM tasks WHERE state NOT IN ${TERMINAL}`),
      ...rows('no end', `SELECT id, state FROM tasks WHERE finished_at IS NULL`),
      ...rows('in part', `SELECT id FROM tasks WHERE id NOT IN (SELECT task_id FROM task_requests)`),
      ...rows('attempt without end', `SELECT task_id, number FROM attempts WHERE finished_at IS NULL`),
      ...rows(
        'completed without answer',
        `SELECT id FROM tasks WHERE state = 'completed' AND id NOT IN (SELECT task_id FROM task_answers)`,
      ),
      ...(witnessed
        ? [
            ...rows('left a terminal state', `SELECT * FROM witness WHERE was IN ${TERMINAL}`),
            ...rows(
              'two terminal states',
              `SELECT task_id, count(*) AS ends FROM witness WHERE became IN ${TERMINAL} GROUP BY task_id HAVING ends > 1`,
            ),
          ]
        : []),
    ];
  });
}

/** O7: the log after a checkpoint. */
export function logBytes(dataDir: string): number {
  return statSync(`${databaseFile(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
