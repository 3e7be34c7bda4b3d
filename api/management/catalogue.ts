/** Plugins as they stand. */
import { type Plugin, plugin } from '../contract/management';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

export function catalogueRoutes({ catalogue }: ApiDeps): readonly Route[] {
  function known(id: string | undefined): Plugin {
    const found = catalogue.plugins().find((candidate) => candidate.id === id);
    if (!found) throw new AppError('plugin_not_found');
    return found;
  }

  return [
    route({
      method: 'GET',
      path: '/plugins',
      permission: 'PLUGINS_READ',
      summary: 'List plugins',
      description: 'Compatibility, backend, worker, quarantine and circuit are five separate fields.',
      query: noQuery,
      response: listOf(plugin),
      handler: () => whole(catalogue.plugins()),
    }),
    route({
      method: 'GET',
      path: '/plugins/{id}',
      permission: 'PLUGINS_READ',
      summary: 'One plugin',
      response: plugin,
      errors: ['plugin_not_found'],
      handler: ({ params }) => known(params['id']),
    }),
    route({
      method: 'POST',
      path: '/plugins/{id}/restart',
      permission: 'PLUGINS_ADMIN',
      summary: "Restart a plugin's backend",
      description: 'Answers when it has been restarted. Work running on it fails and follows its retry rules.',
      response: plugin,
      errors: ['plugin_not_found'],
      async handler({ params }) {
        const { id } = known(params['id']);
        await catalogue.restart(id);
        return known(id);
      },
    }),
  ];
}
