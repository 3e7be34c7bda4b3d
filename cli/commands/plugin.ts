/** `soai plugin`: the backends that serve models, and the packages they are made of. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { List, Plugin } from '../../api/contract/management';
import type { CreatePlugin, PluginDetail, PluginPackageView } from '../../api/contract/plugins';
import { examples, type Bind, type Register } from '../command';
import { confirm } from '../confirm';
import { CliError, EXIT } from '../exit-code';
import { detailFields, PACKAGE_COLUMNS, pluginColumns, pluginFields } from '../plugin/view';
import { limitsOf, withLimits, type Limits } from '../plugin/limits';
import { settingsOf } from '../plugin/settings';
import { registerPluginHealth } from './plugin-health';

type Parent = Parameters<Register>[0];

const SOME_ID = '"$(soai plugin list -o json | jq -r .data[0].id)"';
const at = (id: string): string => `/api/v1/plugins/${encodeURIComponent(id)}`;
const read = (file: string): string => readFileSync(file === '-' ? 0 : file, 'utf8');

/** What is done to a plugin with one word. */
const ACTIONS: readonly (readonly [name: string, description: string])[] = [
  ['enable', 'Let a plugin take requests'],
  ['disable', 'Let a plugin take no more requests, and stop its backend'],
  ['restart', "Restart a plugin's backend"],
  ['drain', 'Let a plugin end what it has and take nothing new'],
  ['undrain', 'Let a drained plugin take requests again'],
  ['repair', "Bring a plugin's files back to what was recorded of them"],
];

export const registerPlugin: Register = (program, bind) => {
  const plugin = program.command('plugin').description('Look at and manage plugins: the backends that serve models');
  examples(plugin, 'soai plugin list');
  list(bind, plugin);
  show(bind, plugin);
  create(bind, plugin);
  set(bind, plugin);
  for (const [name, description] of ACTIONS) {
    examples(action(bind, plugin, name, description), `soai plugin ${name} ${SOME_ID}`);
  }
  clone(bind, plugin);
  remove(bind, plugin);
  packages(bind, plugin);
  install(bind, plugin);
  uninstall(bind, plugin);
  registerPluginHealth(plugin, bind);
};

function list(bind: Bind, parent: Parent): void {
  const command = parent
    .command('list')
    .description('Show plugins with their states')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<Plugin>>('/api/v1/plugins'), pluginColumns(print));
      }),
    );
  examples(command, 'soai plugin list', 'soai plugin list --output json');
}

function show(bind: Bind, parent: Parent): void {
  const command = parent
    .command('show')
    .description('Show one plugin with its settings and the reasons for its states')
    .argument('<id>', 'plugin id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const found = await api().get<PluginDetail>(at(id));
        print.record(found, detailFields(found));
      }),
    );
  examples(command, `soai plugin show ${SOME_ID}`);
}

function create(bind: Bind, parent: Parent): void {
  const command = withLimits(
    parent
      .command('create')
      .description('Make a plugin of a package')
      .argument('<id>', 'its name; models refer to it')
      .argument('[settings...]', 'NAME=VALUE, or NAME=@FILE for a value that is in a file (- for standard input)'),
  )
    .requiredOption('--package <name>', 'what it is made of; one of: soai plugin packages')
    .option('--disabled', 'do not let it take requests yet')
    .action(
      bind(
        async ({ api, print }, id: string, given: string[], options: Limits & { package: string; disabled?: true }) => {
          const settings = settingsOf(given, read);
          const body: CreatePlugin = {
            id,
            package: options.package,
            settings,
            enabled: !options.disabled,
            ...limitsOf(options),
          };
          const made = await api().post<PluginDetail>('/api/v1/plugins', body);
          print.record(made, detailFields(made));
        },
      ),
    );
  examples(command, 'soai plugin create a --package openai-compatible BASE_URL=http://gpu1/v1');
}

function set(bind: Bind, parent: Parent): void {
  const command = withLimits(
    parent
      .command('set')
      .description("Change a plugin's settings and limits; what is not named stays")
      .argument('<id>', 'plugin id')
      .argument('[settings...]', 'NAME=VALUE; NAME= removes one; NAME=@FILE reads the value'),
  ).action(
    bind(async ({ api, print }, id: string, given: string[], options: Limits) => {
      const settings = given.length === 0 ? {} : { settings: settingsOf(given, read) };
      const changed = await api().patch<PluginDetail>(at(id), { ...settings, ...limitsOf(options) });
      print.record(changed, detailFields(changed));
    }),
  );
  examples(command, 'soai plugin set vllm MAX_REPLY_BYTES=1048576 --max-concurrent-tasks 4');
}

function action(bind: Bind, parent: Parent, name: string, description: string): Parent {
  return parent
    .command(name)
    .description(description)
    .argument('<id>', 'plugin id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const found = await api().post<Plugin>(`${at(id)}/${name}`);
        print.record(found, pluginFields(found));
      }),
    );
}

function clone(bind: Bind, parent: Parent): void {
  const command = parent
    .command('clone')
    .description('Make a copy of a plugin, with files and settings of its own')
    .argument('<id>', 'plugin id')
    .argument('<clone>', 'id of the clone')
    .argument('[settings...]', 'NAME=VALUE that differ')
    .action(
      bind(async ({ api, print }, id: string, copy: string, given: string[]) => {
        const body = { id: copy, settings: settingsOf(given, read) };
        const made = await api().post<PluginDetail>(`${at(id)}/clone`, body);
        print.record(made, detailFields(made));
      }),
    );
  examples(command, `soai plugin clone ${SOME_ID} a-copy`);
}

function remove(bind: Bind, parent: Parent): void {
  const command = parent
    .command('remove')
    .description('Remove a plugin; its own directory stays')
    .argument('<id>', 'plugin id')
    .option('--yes', 'do not ask')
    .action(
      bind(async (context, id: string, { yes }: { yes?: boolean }) => {
        if (!yes && !(await confirm(context, `Remove the plugin ${id}?`))) throw nothingDone();
        await context.api().delete(at(id));
        context.print.record({ id, removed: true }, [['Removed', id]]);
      }),
    );
  examples(command, 'soai plugin remove a-copy --yes');
}

function packages(bind: Bind, parent: Parent): void {
  const command = parent
    .command('packages')
    .description('Show the packages that plugins can be made of')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<PluginPackageView>>('/api/v1/plugin-packages'), PACKAGE_COLUMNS);
      }),
    );
  examples(command, 'soai plugin packages');
}

function install(bind: Bind, parent: Parent): void {
  const command = parent
    .command('install')
    .description('Install a plugin package from a folder or a .tgz archive')
    .argument('<path>', "a path on the server's host")
    .action(
      bind(async ({ api, print, terminal }, given: string) => {
        const body = { path: path.resolve(terminal.cwd, given) };
        const found = await api().post<PluginPackageView>('/api/v1/plugin-packages', body);
        print.record(found, [
          ['Installed', `${found.name} ${found.version}`],
          ['Compatibility', found.compatibility.reason ?? found.compatibility.state],
          ['Digest', found.digest],
        ]);
      }),
    );
  examples(command, 'soai plugin install ./echo.tgz');
}

function uninstall(bind: Bind, parent: Parent): void {
  const command = parent
    .command('uninstall')
    .description('Remove an installed package')
    .argument('<package>', 'its name')
    .option('--yes', 'do not ask')
    .action(
      bind(async (context, name: string, { yes }: { yes?: boolean }) => {
        const known = await context.api().get<List<PluginPackageView>>('/api/v1/plugin-packages');
        const found = known.data.findLast((each) => each.name === name && each.origin === 'installed');
        if (!found) throw new CliError(EXIT.notFound, 'package_not_found', `No package "${name}" is installed.`);
        if (!yes && !(await confirm(context, `Uninstall ${name} ${found.version}?`))) throw nothingDone();
        await context.api().delete(`/api/v1/plugin-packages/${name}/${found.digest}`);
        context.print.record({ name, digest: found.digest, uninstalled: true }, [['Uninstalled', name]]);
      }),
    );
  examples(command, 'soai plugin uninstall echo --yes');
}

function nothingDone(): CliError {
  return new CliError(EXIT.refused, 'not_confirmed', 'Nothing was done.');
}
