/** `soai model`: the models that can be asked for. */
import type { Command } from 'commander';
import type { List } from '../../api/contract/management';
import type { ImportedModels, Model } from '../../api/contract/models';
import { examples, type Bind, type Register } from '../command';
import { registerModelFiles } from '../models/files';
import { registerModelChanges } from '../models/changes';
import { modelFields } from '../models/fields';
import { pathTo } from '../models/words';
import type { Column } from '../output/table';

export const registerModel: Register = (program, bind) => {
  const model = program.command('model').description('Look at models, add, change and remove them');
  examples(model, 'soai model list');
  list(model, bind);
  show(model, bind);
  registerModelChanges(model, bind);
  importFrom(model, bind);
  registerModelFiles(model, bind);
};

function list(parent: Command, bind: Bind): void {
  const command = parent
    .command('list')
    .description('Show models, available or not, and why not')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<Model>>('/api/v1/models'), COLUMNS);
      }),
    );
  examples(command, 'soai model list', 'soai model list --output json');
}

function show(parent: Command, bind: Bind): void {
  const command = parent
    .command('show')
    .description('Show one model with what it can do and who has it as a member')
    .argument('<id>', 'id or alias')
    .action(
      bind(async ({ api, print }, id: string) => {
        const found = await api().get<Model>(pathTo('models', id));
        print.record(found, modelFields(found));
      }),
    );
  examples(command, 'soai model show m1');
}

function importFrom(parent: Command, bind: Bind): void {
  const command = parent
    .command('import')
    .description("Add models from a plugin's own list")
    .argument('<plugin>', 'plugin id')
    .argument('[names...]', 'names of its list; all of it unless given')
    .option('--disabled', 'add them without making them available')
    .action(
      bind(async ({ api, print }, plugin: string, names: string[], { disabled }: { disabled?: boolean }) => {
        const body = { enabled: disabled !== true, ...(names.length > 0 ? { models: names } : {}) };
        const path = `/api/v1/plugins/${encodeURIComponent(plugin)}/models/import`;
        const done = await api().post<ImportedModels>(path, body);
        print.record(done, [
          ...done.added.map(({ id, upstream_model: name }): [string, string] => ['Added', `${id} (${name})`]),
          ...done.skipped.map(({ upstream_model: name, reason }): [string, string] => [
            'Skipped',
            `${name}: ${reason}`,
          ]),
        ]);
      }),
    );
  examples(command, 'soai model import up1', 'soai model import up1 fake --disabled');
}

const COLUMNS: readonly Column<Model>[] = [
  { title: 'MODEL', value: ({ id }) => id },
  {
    title: 'AVAILABLE',
    value: ({ available, reason }) => (available ? 'yes' : `no: ${reason ?? 'unknown'}`),
    cut: true,
  },
  { title: 'PLUGIN', value: ({ plugin }) => plugin },
  { title: 'UPSTREAM', value: ({ upstream_model: name }) => name, cut: true },
  { title: 'CAPABILITIES', value: ({ capabilities }) => capabilities.join(','), cut: true },
  { title: 'ALIASES', value: ({ aliases }) => aliases.join(',') || '-', cut: true },
  { title: 'FROM', value: ({ origin }) => origin },
];
