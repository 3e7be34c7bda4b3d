/** Model files of this host, and downloads as background jobs. */
import { z } from 'zod';
import * as contract from '../contract/model-files';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { downloadView, ModelFiles } from '../models/model-files';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

const NEWEST = 100;
const flag = z.enum(['true', 'false']).default('false');
const removalQuery = z.strictObject({
  force: flag.meta({ description: 'true: remove it also when models are served from it.' }),
  dry_run: flag.meta({ description: 'true: only tell what would happen.' }),
});

export function modelFileRoutes({ models: deps }: ApiDeps): readonly Route[] {
  const files = new ModelFiles(deps);
  return [
    route({
      method: 'GET',
      path: '/plugins/{id}/files',
      permission: 'MODELS_ADMIN',
      summary: 'The model files of a plugin, with what they say about themselves',
      query: noQuery,
      response: listOf(contract.modelFile),
      errors: ['plugin_not_found', 'plugin_has_no_files'],
      handler: async ({ params }) => whole(await files.list(params['id'])),
    }),
    route({
      method: 'POST',
      path: '/plugins/{id}/files/download',
      permission: 'MODELS_ADMIN',
      summary: 'Download a model file in the background',
      description:
        'A broken connection is resumed, also over a restart. The file appears when it is whole and its digest is right.',
      request: contract.startDownload,
      response: contract.download,
      status: 202,
      errors: ['plugin_not_found', 'plugin_has_no_files', 'file_exists'],
      handler: ({ identity, params, body }) => files.download(params['id'], body, identity.account.name),
    }),
    route({
      method: 'DELETE',
      path: '/plugins/{id}/files/{file}',
      permission: 'MODELS_ADMIN',
      summary: 'Delete a model file',
      description: 'Refused while models are served from it, unless `force`: then they are disabled.',
      query: removalQuery,
      response: contract.fileRemoval,
      errors: ['plugin_not_found', 'plugin_has_no_files', 'file_not_found', 'file_in_use'],
      async handler({ identity, params, query }) {
        const { id, file } = params;
        if (query.dry_run === 'true') return { ...(await files.removal(id, file)), dry_run: true };
        return { ...(await files.remove(id, file, query.force === 'true', identity.account.name)), dry_run: false };
      },
    }),
    route({
      method: 'GET',
      path: '/downloads',
      permission: 'MODELS_ADMIN',
      summary: 'The newest downloads with their progress',
      query: noQuery,
      response: listOf(contract.download),
      handler: async () => whole((await deps.downloads.list(NEWEST)).map(downloadView)),
    }),
    route({
      method: 'GET',
      path: '/downloads/{id}',
      permission: 'MODELS_ADMIN',
      summary: 'One download',
      response: contract.download,
      errors: ['download_not_found'],
      async handler({ params }) {
        const row = await deps.downloads.get(params['id'] ?? '');
        if (!row) throw new AppError('download_not_found');
        return downloadView(row);
      },
    }),
    route({
      method: 'POST',
      path: '/downloads/{id}/cancel',
      permission: 'MODELS_ADMIN',
      summary: 'Cancel a download and drop what it has brought',
      description: 'One that has ended stays as it is.',
      response: contract.download,
      errors: ['download_not_found'],
      async handler({ params }) {
        const row = await deps.downloads.cancel(params['id'] ?? '');
        if (!row) throw new AppError('download_not_found');
        return downloadView(row);
      },
    }),
  ];
}
