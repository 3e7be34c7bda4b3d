/** Plugins as tables and records (spec F5: five separate fields, never merged). */
import type { Plugin } from '../../api/contract/management';
import type { PluginDetail, PluginPackageView } from '../../api/contract/plugins';
import type { Printer } from '../output/printer';
import type { Column } from '../output/table';
import { instant } from '../output/time';
import { stateColour } from '../task/view';

export function pluginColumns(print: Printer): readonly Column<Plugin>[] {
  const paint = stateColour(print);
  return [
    { title: 'PLUGIN', value: ({ id }) => id },
    { title: 'PACKAGE', value: (each) => each.package },
    { title: 'ENABLED', value: ({ enabled, draining }) => (enabled ? (draining ? 'draining' : 'yes') : 'no') },
    { title: 'COMPATIBILITY', value: ({ compatibility }) => compatibility.state, paint },
    { title: 'BACKEND', value: ({ backend }) => backend.state, paint },
    { title: 'WORKER', value: ({ worker }) => worker.state, paint },
    { title: 'QUARANTINE', value: ({ quarantine }) => quarantine.state, paint },
    { title: 'CIRCUIT', value: ({ circuit }) => circuit.state, paint },
    { title: 'RUNNING', value: ({ running, max_concurrent_tasks: most }) => `${running}/${most}`, right: true },
    { title: 'WAITING', value: ({ waiting }) => String(waiting), right: true },
  ];
}

export function pluginFields(found: Plugin): [string, string][] {
  const { circuit, quarantine } = found;
  return [
    ['Plugin', found.id],
    ['Title', found.title],
    ['Package', `${found.package} ${found.version}`],
    ['Defined in', found.origin],
    ...(found.cloned_from === null ? [] : ([['Clone of', found.cloned_from]] satisfies [string, string][])),
    ['Enabled', found.enabled ? 'yes' : 'no'],
    ['Draining', found.draining ? 'yes' : 'no'],
    ['Runs', found.local ? 'on this host' : 'elsewhere'],
    ['Tasks', `${found.running} running of ${found.max_concurrent_tasks}, ${found.waiting} waiting`],
    ['Compatibility', because(found.compatibility)],
    ['Backend', because(found.backend)],
    ['Worker', because(found.worker)],
    ['Quarantine', because(quarantine) + (quarantine.since === null ? '' : `, since ${instant(quarantine.since)}`)],
    ['Circuit', `${circuit.state}, ${circuit.failure_count} failures`],
    ['Last failure', instant(circuit.last_failure_at)],
    ['Retry at', instant(circuit.retry_at)],
    ['Recoveries', `${found.recovery_attempts} in a row${found.flapping ? ', flapping' : ''}`],
    ['Last ping', instant(found.last_ping_at)],
  ];
}

export function detailFields(found: PluginDetail): [string, string][] {
  return [
    ...pluginFields(found),
    ['Models', found.models.join(', ')],
    ['Settings', JSON.stringify(found.settings)],
    ['Secrets set', found.secrets.join(', ')],
    ['Read-only', found.read_only ?? 'no'],
  ];
}

export const PACKAGE_COLUMNS: readonly Column<PluginPackageView>[] = [
  { title: 'PACKAGE', value: ({ name }) => name },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'ORIGIN', value: ({ origin }) => origin },
  { title: 'COMPATIBILITY', value: ({ compatibility }) => compatibility.state },
  { title: 'PLUGINS', value: ({ plugins }) => plugins.join(', '), cut: true },
  { title: 'DIGEST', value: ({ digest }) => digest.slice(0, 12) },
];

function because({ state, reason }: { readonly state: string; readonly reason: string | null }): string {
  return reason === null ? state : `${state}: ${reason}`;
}
