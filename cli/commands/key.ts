/** `soai key`: API keys, with the server up or down (spec J). */
import type { ApiKey, CreatedKey, List } from '../../api/contract/management';
import { examples, type Bind, type Register } from '../command';
import { confirm } from '../confirm';
import { CliError, EXIT } from '../exit-code';
import { runOffline, type OfflineRunner } from '../offline';
import type { Column } from '../output/table';
import { instant } from '../output/time';

export const registerKey: Register = (program, bind) => registerKeyWith(runOffline)(program, bind);

export const registerKeyWith =
  (offline: OfflineRunner): Register =>
  (program, bind) => {
    const key = program
      .command('key')
      .description('Create, list and revoke API keys')
      .addHelpText(
        'after',
        '\nWith no server running these commands work on the data directory itself. A\n' +
          'server named by --server or SOAI_URL must be reachable.',
      );
    examples(key, 'soai key create laptop');
    create(offline, bind, key);
    list(offline, bind, key);
    revoke(offline, bind, key);
  };

type Parent = Parameters<Register>[0];

function create(offline: OfflineRunner, bind: Bind, parent: Parent): void {
  const command = parent
    .command('create')
    .description('Create a key and print it, this once')
    .argument('<name>', 'what it is for')
    .option('--user <account>', 'account it acts for', 'admin')
    .action(
      bind(async (context, name: string, { user }: { user: string }) => {
        const client = context.apiIfRunning();
        const made =
          client === null
            ? ((await offline(context, ['key', 'create', '--account', user, '--json', '--', name])) as CreatedKey)
            : await client.post<CreatedKey>('/api/v1/keys', { name, account: user });
        const { print } = context;
        if (print.format === 'json') return print.json(made);
        if (print.format === 'jsonl') return print.line(made);
        print.say(`Key "${made.name}" (${made.id}) for ${made.account}. It is shown this once:`);
        print.write(`${made.key}\n`);
      }),
    );
  examples(command, 'soai key create laptop', 'export SOAI_API_KEY="$(soai key create ci --user admin)"');
}

function list(offline: OfflineRunner, bind: Bind, parent: Parent): void {
  const command = parent
    .command('list')
    .description('Show keys by their first characters')
    .action(
      bind(async (context) => {
        const client = context.apiIfRunning();
        const page =
          client === null
            ? ((await offline(context, ['key', 'list', '--json'])) as List<ApiKey>)
            : await client.get<List<ApiKey>>('/api/v1/keys');
        context.print.list(page, COLUMNS);
      }),
    );
  examples(command, 'soai key list', 'soai key list --output json');
}

function revoke(offline: OfflineRunner, bind: Bind, parent: Parent): void {
  const command = parent
    .command('revoke')
    .description('Make a key stop working, for good')
    .argument('<id>', 'id from: soai key list')
    .option('--yes', 'do not ask')
    .action(
      bind(async (context, id: string, { yes }: { yes?: boolean }) => {
        const { print } = context;
        if (!yes && !(await confirm(context, `Revoke key ${id}? Whatever uses it stops working.`))) {
          throw new CliError(EXIT.refused, 'not_confirmed', 'Nothing was revoked.');
        }
        const client = context.apiIfRunning();
        if (client === null) await offline(context, ['key', 'revoke', '--json', '--', id]);
        else await client.delete(`/api/v1/keys/${encodeURIComponent(id)}`);
        print.record({ id, revoked: true }, [['Revoked', id]]);
      }),
    );
  examples(command, 'soai key revoke "$(soai key list -o json | jq -r .data[0].id)" --yes');
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, cut: true },
  { title: 'ACCOUNT', value: ({ account }) => account, cut: true },
  { title: 'KEY', value: ({ prefix }) => `${prefix}…` },
  { title: 'STATE', value: stateOf },
  { title: 'CREATED', value: ({ created_at: at }) => instant(at) },
  { title: 'LAST USED', value: ({ last_used_at: at }) => instant(at) },
];

function stateOf({ revoked_at: revoked, expires_at: expires }: ApiKey): string {
  if (revoked !== null) return 'revoked';
  return expires !== null && expires <= Date.now() ? 'expired' : 'live';
}
