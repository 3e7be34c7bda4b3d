/** `soai model`. */
import type { List } from '../../api/contract/management';
import type { Model } from '../../api/contract/models';
import { examples, type Register } from '../command';
import type { Column } from '../output/table';

export const registerModel: Register = (program, bind) => {
  const model = program.command('model').description('Look at models');
  examples(model, 'soai model list');

  const list = model
    .command('list')
    .description('Show models, available or not, and why not')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<Model>>('/api/v1/models'), COLUMNS);
      }),
    );
  examples(list, 'soai model list', 'soai model list --output json');
};

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
