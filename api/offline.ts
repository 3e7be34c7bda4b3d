/**
 * Commands that work on the data directory itself, most of them without a running server; `bin/soai` and the set-up call
 * them. One JSON object on stdout; errors as `{"error":{code,message,hint}}` on stderr.
 * Exit codes as everywhere: 0 ok, 1 failed, 2 usage, 4 refused, 5 not found (spec J).
 */
import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { formatFault } from '../config/fault';
import { loadSettings } from '../config/load';
import type { Settings } from '../config/schema';
import { openStore } from '../store/open-store';
import { holderOf } from '../activities/lifecycle/data-lock';
import { isMarked } from '../activities/lifecycle/dirty-marker';
import { databaseOf } from './database';
import type { OfflineContext, OfflineSettings } from './offline/context';
import { backUp, checkDatabase, databaseStatus } from './offline/database';
import { createKey, listKeys, revokeKey } from './offline/keys';
import { OfflineError } from './offline/offline-error';
import { plan } from './offline/plan';
import { PLAN_FLAGS, type PlanFlags } from './offline/plan-workload';
import { restore } from './offline/restore';

interface Common {
  readonly config?: string;
}

const program = new Command('offline').exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const key = program.command('key');
key
  .command('create <name>')
  .option('--account <name>', 'account it acts for', 'admin')
  .option('--config <file>')
  .option('--json')
  .action((name: string, options: Common & { account: string }) =>
    run(options, (context) => createKey(context, name, options.account)),
  );
key
  .command('list')
  .option('--config <file>')
  .option('--json')
  .action((options: Common) => run(options, listKeys));
key
  .command('revoke <id>')
  .option('--config <file>')
  .option('--json')
  .action((id: string, options: Common) => run(options, (context) => revokeKey(context, id)));

const db = program.command('db');
db.command('status')
  .option('--config <file>')
  .action((options: Common) => withSettings(options, databaseStatus));
db.command('check')
  .option('--config <file>')
  .action((options: Common) => withSettings(options, (context) => checkDatabase(context, say)));
db.command('backup <file>')
  .option('--config <file>')
  .option('--force')
  .action((file: string, options: Common & { force?: boolean }) =>
    withSettings(options, (context) => backUp(context, file, options.force ?? false)),
  );
db.command('restore <file>')
  .option('--config <file>')
  .action((file: string, options: Common) => withSettings(options, (context) => restore(context, file, say)));

const planning = program.command('plan').command('run').option('--config <file>');
for (const flag of PLAN_FLAGS) planning.option(`--${flag} <value>`);
planning.action((options: Common & PlanFlags) => loaded(options, (settings) => plan(options, settings)));

program
  .command('setup')
  .option('--config <file>')
  .option('--model <file-or-url>')
  .action((options: Common & { model?: string }) =>
    withSettings(options, async (context) => {
      // Before its check nothing may open the database (C4): the start that follows checks it.
      if (isMarked(context.dataDir)) {
        if (options.model !== undefined)
          say('  No model was added: the database is to be checked first. Start once more.');
        return;
      }
      // Loaded for this command only: the others should answer at once.
      const { setUp } = await import('./offline/set-up.js');
      await withStore(context, (opened) => setUp(opened, options.model));
    }),
  );

/** Opens the store, runs one command, prints its result. Refuses what a crash left to be checked. */
function run(options: Common, command: (context: OfflineContext) => Promise<unknown>): Promise<void> {
  return withSettings(options, async (context) => {
    // A second writer that closes last takes the log with it, and a crash after that would look like a loss.
    if ((await holderOf(context.dataDir)) !== null) {
      throw new OfflineError(
        4,
        'data_dir_in_use',
        'A SoAI runs on this data directory, and does not answer yet.',
        'Wait until it is ready; it is asked from then on.',
      );
    }
    if (isMarked(context.dataDir)) {
      throw new OfflineError(
        4,
        'unclean_shutdown',
        'The last run of SoAI did not stop cleanly; its database has not been checked yet.',
        'Start SoAI once: it checks the database and then goes on.',
      );
    }
    return withStore(context, command);
  });
}

function withSettings(options: Common, command: (context: OfflineSettings) => Promise<unknown>): Promise<void> {
  return loaded(options, async (settings) => {
    const dataDir = settings.SYSTEM.PATHS.SYSTEM_DATA!;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return command({ settings, dataDir });
  });
}

/** Reads the settings, runs one command, prints its result. */
async function loaded(options: Common, command: (settings: Settings) => unknown): Promise<void> {
  const found = loadSettings({ flags: { config: options.config }, env: process.env, cwd: process.cwd() });
  if (!found.ok) {
    process.stderr.write(`${found.faults.map(formatFault).join('\n')}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    const result = await command(found.settings);
    if (result !== undefined) process.stdout.write(`${JSON.stringify(result)}\n`);
  } catch (error) {
    fail(error);
  }
}

async function withStore<T>(context: OfflineSettings, command: (context: OfflineContext) => Promise<T>): Promise<T> {
  const store = await openStore({ database: databaseOf(context.settings), dataDir: context.dataDir });
  try {
    await store.accounts.ensureAdmin(Date.now());
    return await command({ ...context, store });
  } finally {
    await store.close();
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function fail(error: unknown): void {
  const known = error instanceof OfflineError;
  const message = error instanceof Error ? error.message : String(error);
  const body = { code: known ? error.code : 'failed', message, hint: known ? error.hint : null };
  process.stderr.write(`${JSON.stringify({ error: body })}\n`);
  process.exitCode = known ? error.exitCode : 1;
}

void program.parseAsync(process.argv.slice(2), { from: 'user' });
