/** Plugins: what they are, and everything that can be done with them (spec F, J). */
import type { Permission } from '../auth/permissions';
import { type Plugin, plugin } from '../contract/management';
import { changePlugin, clonePlugin, createPlugin, pluginDetail, type PluginDetail } from '../contract/plugins';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import type { ErrorCode } from '../errors/catalogue';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

interface Action {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly errors?: readonly ErrorCode[];
  run(id: string): Promise<void> | void;
}

const READ: Permission = 'PLUGINS_READ';
const CHANGE: Permission = 'PLUGINS_ADMIN';
const REFUSED_SETTINGS: readonly ErrorCode[] = ['plugin_settings_invalid'];

export function pluginRoutes(deps: ApiDeps): readonly Route[] {
  return [...resourceRoutes(deps), ...actions(deps).map((action) => actionRoute(deps, action))];
}

function resourceRoutes({ pluginViews, plugins }: ApiDeps): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/plugins',
      permission: READ,
      summary: 'List plugins',
      description: 'Compatibility, backend, worker, quarantine and circuit are five separate fields.',
      query: noQuery,
      response: listOf(plugin),
      handler: () => whole(pluginViews.plugins()),
    }),
    route({
      method: 'POST',
      path: '/plugins',
      permission: CHANGE,
      summary: 'Create a plugin',
      request: createPlugin,
      response: pluginDetail,
      status: 201,
      errors: ['plugin_exists', 'package_not_found', ...REFUSED_SETTINGS],
      async handler({ body }) {
        const { id, settings, enabled, max_concurrent_tasks: tasks, ...rest } = body;
        const limits = { maxConcurrentTasks: tasks ?? 8, options: optionsOf(rest) };
        await plugins.actions.create({ id, package: body.package, settings, enabled, ...limits });
        return present(await pluginViews.detail(id));
      },
    }),
    route({
      method: 'GET',
      path: '/plugins/{id}',
      permission: READ,
      summary: 'One plugin, with its settings',
      response: pluginDetail,
      errors: ['plugin_not_found'],
      handler: async ({ params }) => present(await pluginViews.detail(params['id'] ?? '')),
    }),
    route({
      method: 'PATCH',
      path: '/plugins/{id}',
      permission: CHANGE,
      summary: "Change a plugin's settings and limits",
      description: 'New settings are in force when it answers; a local backend is stopped for that.',
      request: changePlugin,
      response: pluginDetail,
      errors: ['plugin_not_found', 'plugin_read_only', ...REFUSED_SETTINGS],
      async handler({ params: { id = '' }, body: { settings, max_concurrent_tasks: maxConcurrentTasks, ...rest } }) {
        await plugins.actions.change(id, { settings, maxConcurrentTasks, options: optionsOf(rest) });
        return present(await pluginViews.detail(id));
      },
    }),
    route({
      method: 'DELETE',
      path: '/plugins/{id}',
      permission: CHANGE,
      summary: 'Remove a plugin',
      description: 'Refused while models depend on it or it has work. Its own directory stays on the disk.',
      status: 204,
      errors: ['plugin_not_found', 'plugin_read_only', 'plugin_in_use', 'plugin_busy'],
      handler: ({ params }) => plugins.actions.remove(params['id'] ?? ''),
    }),
    route({
      method: 'POST',
      path: '/plugins/{id}/clone',
      permission: CHANGE,
      summary: 'Clone a plugin',
      description: 'The same package and settings under an id of its own, with a copy of the files of its own.',
      request: clonePlugin,
      response: pluginDetail,
      status: 201,
      errors: ['plugin_not_found', 'plugin_exists', 'package_not_found', 'package_invalid', ...REFUSED_SETTINGS],
      async handler({ params: { id = '' }, body }) {
        await plugins.actions.clone(id, body.id, body.settings);
        return present(await pluginViews.detail(body.id));
      },
    }),
  ];
}

function actions({ plugins }: ApiDeps): readonly Action[] {
  return [
    {
      name: 'enable',
      summary: 'Enable a plugin',
      description: 'One of the settings file stays so until the server starts again, when ENABLED decides.',
      run: (id) => plugins.switches.enable(id),
    },
    {
      name: 'disable',
      summary: 'Disable a plugin',
      description:
        'It takes nothing new, ends what it was given before, then its backend stops. Waits up to 20 s for that.',
      run: (id) => plugins.switches.disable(id),
    },
    {
      name: 'restart',
      summary: "Restart a plugin's backend",
      description:
        'Work running on it fails and follows its retry rules. Waits up to 20 s; a start that fails shows in `backend`.',
      errors: ['plugin_not_usable'],
      run: (id) => plugins.switches.restart(id),
    },
    {
      name: 'drain',
      summary: 'Drain a plugin',
      description:
        'It takes nothing new and ends what it was given before. Waits up to 20 s for that; it goes on after.',
      run: (id) => plugins.switches.drain(id),
    },
    {
      name: 'undrain',
      summary: 'Let a drained plugin take requests again',
      description: 'Harmless for one that is not drained.',
      run: (id) => plugins.switches.undrain(id),
    },
    {
      name: 'repair',
      summary: "Bring a plugin's files back to what was recorded",
      description:
        'A clone gets its copy anew, an installed package is read again from where it came from. Lifts a quarantine of state `integrity`, which no reset does.',
      errors: ['nothing_to_repair', 'package_invalid'],
      run: (id) => plugins.switches.repair(id),
    },
  ];
}

function actionRoute({ pluginViews }: ApiDeps, { name, summary, description, errors = [], run }: Action): Route {
  const known = (id: string): Plugin => {
    const found = pluginViews.plugins().find((candidate) => candidate.id === id);
    if (!found) throw new AppError('plugin_not_found');
    return found;
  };
  return route({
    method: 'POST',
    path: `/plugins/{id}/${name}`,
    permission: CHANGE,
    summary,
    description,
    response: plugin,
    errors: ['plugin_not_found', ...errors],
    async handler({ params: { id = '' } }) {
      known(id);
      await run(id);
      return known(id);
    },
  });
}

interface Options {
  readonly idle_unload_sec?: number | undefined;
  readonly preload?: boolean | undefined;
}

function optionsOf({ idle_unload_sec: idleUnloadSec, preload }: Options) {
  return { ...(idleUnloadSec === undefined ? {} : { idleUnloadSec }), ...(preload === undefined ? {} : { preload }) };
}

function present(detail: PluginDetail | null): PluginDetail {
  if (!detail) throw new AppError('plugin_not_found');
  return detail;
}
