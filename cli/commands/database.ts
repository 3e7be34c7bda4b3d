/** `soai db`: status, check, backup and restore of the database (spec C4, J). */
import type { DatabaseBackup, DatabaseCheck, DatabaseRestore, DatabaseStatus } from '../../api/contract/offline';
import { examples, type Bind, type Register } from '../command';
import { confirm } from '../confirm';
import type { Context } from '../context';
import { CliError, EXIT } from '../exit-code';
import { runOffline } from '../offline';

export const registerDatabase: Register = (program, bind) => {
  const db = program.command('db').description('Check, back up and restore the database');
  db.addHelpText('after', '\nA damaged database: docs/recover-a-database.md leads out, step by step.');
  examples(db, 'soai db status', 'soai db backup backup.db');
  status(bind, db);
  check(bind, db);
  backup(bind, db);
  restore(bind, db);
};

type Parent = Parameters<Register>[0];

/** Lines on the progress are for a person; with -o json stderr is for the error alone. */
function talk({ print }: Context): (line: string) => void {
  return print.format === 'table' ? (line) => print.say(line) : () => undefined;
}

function status(bind: Bind, parent: Parent): void {
  const command = parent
    .command('status')
    .description('Show which database, how large, and whether its check is due')
    .action(
      bind(async (context) => {
        const found = (await runOffline(context, ['db', 'status'])) as DatabaseStatus;
        context.print.record(found, [
          ['Database', found.file ?? found.database],
          ['Size', bytes(found.bytes)],
          ['Log', bytes(found.log_bytes)],
          ['Last stop', found.server_pid !== null ? 'running' : found.unclean ? 'not clean; check due' : 'clean'],
          ['Server', found.server_pid === null ? 'stopped' : `process ${found.server_pid}`],
        ]);
      }),
    );
  examples(command, 'soai db status', 'soai db status --output json');
}

function check(bind: Bind, parent: Parent): void {
  const command = parent
    .command('check')
    .description('Check the database, changing nothing')
    .addHelpText('after', '\nThe exit code is 1 when it is damaged. The server may run.')
    .action(
      bind(async (context) => {
        const found = (await runOffline(context, ['db', 'check'], talk(context))) as DatabaseCheck;
        context.print.record(found, [
          ['Database', found.file],
          ['Result', found.sound ? 'sound' : 'damaged'],
          ...found.problems.map((problem): [string, string] => ['Problem', problem]),
          ...(found.guide === null ? [] : [['Next', found.guide] as [string, string]]),
        ]);
        return found.sound ? EXIT.ok : EXIT.failed;
      }),
    );
  examples(command, 'soai db check', 'soai db check --output json');
}

function backup(bind: Bind, parent: Parent): void {
  const command = parent
    .command('backup')
    .description('Write a checked copy of the database; the server may run')
    .argument('<file>', 'file to write')
    .option('--force', 'replace the file when it exists')
    .action(
      bind(async (context, file: string, { force }: { force?: boolean }) => {
        const words = ['db', 'backup', ...(force ? ['--force'] : []), '--', file];
        const made = (await runOffline(context, words, talk(context))) as DatabaseBackup;
        context.print.record(made, [
          ['Backup', made.backup],
          ['Size', bytes(made.bytes)],
          ['Check', 'sound'],
        ]);
      }),
    );
  examples(command, 'soai db backup backup.db', 'soai db backup "soai-$(date +%F).db" --force');
}

function restore(bind: Bind, parent: Parent): void {
  const command = parent
    .command('restore')
    .description("Put a backup in the database's place; the server is stopped")
    .argument('<file>', 'file from: soai db backup')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nThe backup is checked first. What it replaces is kept under another name.')
    .action(
      bind(async (context, file: string, { yes }: { yes?: boolean }) => {
        if (!yes && !(await confirm(context, `Replace the database in ${context.dataDir} by ${file}?`))) {
          throw new CliError(EXIT.refused, 'not_confirmed', 'Nothing was restored.');
        }
        const done = (await runOffline(context, ['db', 'restore', '--', file], talk(context))) as DatabaseRestore;
        context.print.record(done, [
          ['Restored', `${done.file} from ${done.restored_from}`],
          ...done.kept.map((each): [string, string] => ['Kept', each]),
          ...done.undo.map((line): [string, string] => ['To undo', line]),
        ]);
      }),
    );
  examples(command, 'soai db restore backup.db', 'soai db restore backup.db --yes');
}

function bytes(count: number | null): string {
  if (count === null) return '-';
  return count < 1024 ** 2 ? `${Math.ceil(count / 1024)} KiB` : `${(count / 1024 ** 2).toFixed(1)} MiB`;
}
