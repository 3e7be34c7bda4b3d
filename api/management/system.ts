/** Health for probes and people (C9), and what the server is and runs on. */
import { z } from 'zod';
import { OPEN } from '../auth/permissions';
import { health, systemInfo } from '../contract/management';
import type { ApiDeps } from '../deps';
import { AppError } from '../errors/app-error';
import { type Route, route } from './route';

const alive = z.object({ status: z.literal('ok') });

export function systemRoutes(deps: ApiDeps): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/system/health',
      permission: OPEN,
      summary: 'Health, with the reasons when it is degraded',
      description: 'Answers 200 in both cases; `status` tells them apart.',
      response: health,
      handler: () => deps.health(),
    }),
    route({
      method: 'GET',
      path: '/system/live',
      permission: OPEN,
      summary: 'Liveness probe: the process answers',
      response: alive,
      handler: () => ({ status: 'ok' as const }),
    }),
    route({
      method: 'GET',
      path: '/system/ready',
      permission: OPEN,
      summary: 'Readiness probe: requests can be accepted now',
      response: alive,
      errors: ['shutting_down', 'database_busy', 'engine_unavailable'],
      async handler() {
        if (deps.stopping.aborted) throw new AppError('shutting_down');
        await deps.store.ping().catch((cause: unknown) => {
          throw new AppError('database_busy', { cause });
        });
        if (deps.engine.state !== 'up') throw new AppError('engine_unavailable');
        return { status: 'ok' as const };
      },
    }),
    route({
      method: 'GET',
      path: '/system/info',
      permission: 'SYSTEM_READ',
      summary: 'Version, data directory, database, engine and addresses',
      response: systemInfo,
      handler: () => ({
        version: deps.version,
        started_at: deps.startedAt,
        data_dir: deps.dataDir,
        database: deps.store.kind,
        engine: {
          state: deps.engine.state,
          address: deps.engine.address,
          namespace: deps.engine.namespace,
          console_url: deps.engine.consoleUrl,
        },
        addresses: [...deps.addresses()],
      }),
    }),
  ];
}
