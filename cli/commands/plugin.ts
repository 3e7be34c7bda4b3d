/** `soai plugin` (spec F5: five separate fields, never merged). */
import type { List, Plugin } from '../../api/contract/management';
import { examples, type Register } from '../command';
import type { Printer } from '../output/printer';
import type { Column } from '../output/table';
import { instant } from '../output/time';
import { stateColour } from '../task/view';

export const registerPlugin: Register = (program, bind) => {
  const plugin = program.command('plugin').description('Look at plugins: the backends that serve models');
  examples(plugin, 'soai plugin list');

  const list = plugin
    .command('list')
    .description('Show plugins with their states')
    .action(
      bind(async ({ api, print }) => {
        print.list(await api().get<List<Plugin>>('/api/v1/plugins'), columns(print));
      }),
    );
  examples(list, 'soai plugin list', 'soai plugin list --output json');

  const show = plugin
    .command('show')
    .description('Show one plugin with the reasons for its states')
    .argument('<id>', 'plugin id')
    .action(
      bind(async ({ api, print }, id: string) => {
        const found = await api().get<Plugin>(`/api/v1/plugins/${encodeURIComponent(id)}`);
        print.record(found, fieldsOf(found));
      }),
    );
  examples(show, 'soai plugin show "$(soai plugin list -o json | jq -r .data[0].id)"');
};

function columns(print: Printer): readonly Column<Plugin>[] {
  const paint = stateColour(print);
  return [
    { title: 'PLUGIN', value: ({ id }) => id },
    { title: 'PACKAGE', value: (each) => each.package },
    { title: 'ENABLED', value: ({ enabled }) => (enabled ? 'yes' : 'no') },
    { title: 'COMPATIBILITY', value: ({ compatibility }) => compatibility.state, paint },
    { title: 'BACKEND', value: ({ backend }) => backend.state, paint },
    { title: 'WORKER', value: ({ worker }) => worker.state, paint },
    { title: 'QUARANTINE', value: ({ quarantine }) => quarantine.state, paint },
    { title: 'CIRCUIT', value: ({ circuit }) => circuit.state, paint },
    { title: 'RUNNING', value: ({ running, max_concurrent_tasks: most }) => `${running}/${most}`, right: true },
    { title: 'WAITING', value: ({ waiting }) => String(waiting), right: true },
  ];
}

function fieldsOf(found: Plugin): [string, string][] {
  const because = ({ state, reason }: { state: string; reason: string | null }) =>
    reason === null ? state : `${state}: ${reason}`;
  const { circuit, quarantine } = found;
  return [
    ['Plugin', found.id],
    ['Title', found.title],
    ['Package', `${found.package} ${found.version}`],
    ['Defined in', found.origin],
    ['Enabled', found.enabled ? 'yes' : 'no'],
    ['Runs', found.local ? 'on this host' : 'elsewhere'],
    ['Tasks', `${found.running} running of ${found.max_concurrent_tasks}, ${found.waiting} waiting`],
    ['Compatibility', because(found.compatibility)],
    ['Backend', because(found.backend)],
    ['Worker', because(found.worker)],
    ['Quarantine', because(quarantine) + (quarantine.since === null ? '' : `, since ${instant(quarantine.since)}`)],
    ['Circuit', `${circuit.state}, ${circuit.failure_count} failures`],
    ['Last failure', instant(circuit.last_failure_at)],
    ['Retry at', instant(circuit.retry_at)],
  ];
}
