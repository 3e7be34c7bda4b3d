/** Packages that plugins are made of: bundled and installed ones (spec F). */
import { installPackage, pluginPackage } from '../contract/plugins';
import type { ApiDeps } from '../deps';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

export function pluginPackageRoutes({ pluginViews, plugins }: ApiDeps): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/plugin-packages',
      permission: 'PLUGINS_READ',
      summary: 'List plugin packages',
      query: noQuery,
      response: listOf(pluginPackage),
      handler: () => whole(pluginViews.packages()),
    }),
    route({
      method: 'POST',
      path: '/plugin-packages',
      permission: 'PLUGINS_ADMIN',
      summary: 'Install a plugin package',
      description:
        'Its programs run as processes of their own; it brings no code into the server. An incompatible one is installed and says so.',
      request: installPackage,
      response: pluginPackage,
      status: 201,
      errors: ['package_invalid', 'package_exists'],
      handler: async ({ body }) => pluginViews.packageView(await plugins.packages.install(body.path)),
    }),
    route({
      method: 'DELETE',
      path: '/plugin-packages/{name}/{digest}',
      permission: 'PLUGINS_ADMIN',
      summary: 'Uninstall a plugin package',
      description: 'Refused while plugins run it.',
      status: 204,
      errors: ['package_not_found', 'package_in_use'],
      handler: ({ params }) => plugins.packages.uninstall(params['name'] ?? '', params['digest'] ?? ''),
    }),
  ];
}
