/** The ways back of spec F6 that are an operator's word: a circuit's reset, and the end of an ordinary quarantine. */
import { type Plugin, plugin } from '../contract/management';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { type Route, route } from './route';

export function pluginHealthRoutes({ pluginViews, pluginHealth }: ApiDeps): readonly Route[] {
  function known(id: string | undefined): Plugin {
    const found = pluginViews.plugins().find((candidate) => candidate.id === id);
    if (!found) throw new AppError('plugin_not_found');
    return found;
  }

  return [
    route({
      method: 'POST',
      path: '/plugins/{id}/circuit/reset',
      permission: 'PLUGINS_ADMIN',
      summary: "Close a plugin's circuit",
      description:
        'Forgets its failures and the count of recoveries in a row. Correct the cause first: work reaches the plugin again at once. A quarantine stays.',
      response: plugin,
      errors: ['plugin_not_found'],
      async handler({ params }) {
        const { id } = known(params['id']);
        await pluginHealth.resetCircuit(id);
        return known(id);
      },
    }),
    route({
      method: 'POST',
      path: '/plugins/{id}/quarantine/clear',
      permission: 'PLUGINS_ADMIN',
      summary: 'End an ordinary quarantine',
      description:
        'The guardian watches the plugin again and its recoveries are counted anew. Its circuit stays as it is: reset that as well to send work at once.',
      response: plugin,
      errors: ['plugin_not_found', 'quarantined_for_integrity'],
      async handler({ params }) {
        const { id, quarantine } = known(params['id']);
        if (quarantine.state === 'integrity') throw new AppError('quarantined_for_integrity');
        if (quarantine.state !== 'none') await pluginHealth.clearQuarantine(id);
        return known(id);
      },
    }),
  ];
}
