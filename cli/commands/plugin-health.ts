/** `soai plugin reset`, `soai plugin circuit reset` and `soai plugin quarantine clear` (spec F6). */
import type { Command } from 'commander';
import type { Plugin } from '../../api/contract/management';
import { examples, type Bind } from '../command';
import type { Context } from '../context';

export function registerPluginHealth(plugin: Command, bind: Bind): void {
  const reset = async ({ api, print }: Context, id: string): Promise<void> => {
    const found = await api().post<Plugin>(`/api/v1/plugins/${encodeURIComponent(id)}/circuit/reset`);
    print.record(found, [
      ['Plugin', found.id],
      ['Circuit', found.circuit.state],
      ['Quarantine', found.quarantine.state],
    ]);
  };

  examples(
    plugin
      .command('reset')
      .description("Close a plugin's circuit; the same as `soai plugin circuit reset`")
      .argument('<id>', 'plugin id')
      .action(bind(reset)),
    'soai plugin reset up1',
  );

  const circuit = plugin.command('circuit').description("A plugin's dispatch circuit");
  examples(circuit, 'soai plugin circuit reset up1');
  examples(
    circuit
      .command('reset')
      .description('Close it: work reaches the plugin again at once, so correct the cause first')
      .argument('<id>', 'plugin id')
      .action(bind(reset)),
    'soai plugin circuit reset up1',
  );

  const quarantine = plugin.command('quarantine').description("A plugin's quarantine");
  examples(quarantine, 'soai plugin quarantine clear up1');
  examples(
    quarantine
      .command('clear')
      .description('End an ordinary quarantine; its circuit stays as it is')
      .argument('<id>', 'plugin id')
      .action(
        bind(async ({ api, print }, id: string) => {
          const found = await api().post<Plugin>(`/api/v1/plugins/${encodeURIComponent(id)}/quarantine/clear`);
          print.record(found, [
            ['Plugin', found.id],
            ['Quarantine', found.quarantine.state],
            ['Circuit', found.circuit.state],
          ]);
        }),
      ),
    'soai plugin quarantine clear up1',
  );
}
