/**
 * Commands that work on the data directory without a running server; `bin/soai` and the set-up call
 * them. One JSON object on stdout; errors as `{"error":{code,message,hint}}` on stderr.
 * Exit codes as everywhere: 0 ok, 1 failed, 2 usage, 4 refused, 5 not found (spec J).
 */
import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { formatFault } from '../config/fault';
import { loadSettings } from '../config/load';
import { openStore } from '../store/open-store';
import { holderOf } from '../activities/lifecycle/data-lock';
import { isMarked } from '../activities/lifecycle/dirty-marker';
import { databaseOf } from './database';
import type { OfflineContext } from './offline/context';
import { createKey, listKeys, revokeKey } from './offline/keys';
import { OfflineError } from './offline/offline-error';

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

program
  .command('db')
  .command('status')
  .option('--config <file>')
  .action((options: Common) =>
    run(options, async ({ store, dataDir }) => {
      await store.ping();
      return { database: store.kind, data_dir: dataDir, migrated: true, unclean: isMarked(dataDir) };
    }),
  );

program
  .command('setup')
  .option('--config <file>')
  .option('--model <file-or-url>')
  .action((options: Common & { model?: string }) =>
    run(
      options,
      // Loaded for this command only: the others should answer at once.
      async (context) => (await import('./offline/set-up.js')).setUp(context, options.model),
      false,
    ),
  );

/** Opens the store, runs one command, prints its result. `exclusive`: refuse what a crash left to be checked. */
async function run(
  options: Common,
  command: (context: OfflineContext) => Promise<unknown>,
  exclusive = true,
): Promise<void> {
  const loaded = loadSettings({ flags: { config: options.config }, env: process.env, cwd: process.cwd() });
  if (!loaded.ok) {
    process.stderr.write(`${loaded.faults.map(formatFault).join('\n')}\n`);
    process.exitCode = 2;
    return;
  }
  const { settings } = loaded;
  const dataDir = settings.SYSTEM.PATHS.SYSTEM_DATA!;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (exclusive && isMarked(dataDir) && (await holderOf(dataDir)) === null) {
      throw new OfflineError(
        4,
        'unclean_shutdown',
        'The last run of SoAI did not stop cleanly; its database has not been checked yet.',
        'Start SoAI once: it checks the database and then goes on.',
      );
    }
    const store = await openStore({ database: databaseOf(settings), dataDir });
    try {
      await store.accounts.ensureAdmin(Date.now());
      const result = await command({ settings, dataDir, store });
      if (result !== undefined) process.stdout.write(`${JSON.stringify(result)}\n`);
    } finally {
      await store.close();
    }
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  const known = error instanceof OfflineError;
  const message = error instanceof Error ? error.message : String(error);
  const body = { code: known ? error.code : 'failed', message, hint: known ? error.hint : null };
  process.stderr.write(`${JSON.stringify({ error: body })}\n`);
  process.exitCode = known ? error.exitCode : 1;
}

void program.parseAsync(process.argv.slice(2), { from: 'user' });
