/** The log by source, newest first, and as it comes (spec H "Logs"). */
import { z } from 'zod';
import type { LogEntry } from '../../activities/logs/log-entry';
import { matches } from '../../activities/logs/log-entry';
import type { Identities } from '../auth/identities';
import { type LogEntryView, logEntry, logFollow, logQuery } from '../contract/logs';
import type { ApiDeps } from '../deps';
import { openStream } from '../events/open-stream';
import { listOf, noQuery, whole } from './lists';
import { type Route, route } from './route';

/** Entries of before that a follower gets first. */
const CATCH_UP = 500;

const view = (entry: LogEntry): LogEntryView => ({ ...entry, fields: { ...entry.fields } });

export function logRoutes(deps: ApiDeps, identities: Identities): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/logs',
      permission: 'LOGS_READ',
      summary: 'Read the log of one source, newest first',
      query: logQuery,
      response: listOf(logEntry),
      async handler({ query: { source, limit, cursor, level, text } }) {
        const found = await deps.logs.read(source, { level, text, before: cursor }, limit + 1);
        const data = found.slice(0, limit).map(view);
        return { data, next_cursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
      },
    }),
    route({
      method: 'GET',
      path: '/logs/sources',
      permission: 'LOGS_READ',
      summary: 'List the sources that have a log',
      query: noQuery,
      response: listOf(z.string()),
      handler: async () => whole<string>(await deps.logs.sources()),
    }),
    route({
      method: 'GET',
      path: '/logs/stream',
      permission: 'LOGS_READ',
      summary: 'Follow the log of one source (SSE)',
      description: 'Each entry is an event `log`, oldest first.',
      query: logFollow,
      produces: 'text/event-stream',
      async handler({ ctx, identity, query: { source, level, text, after } }) {
        let unsubscribe = (): void => undefined;
        const stream = openStream(ctx, { deps, identities, identity }, () => unsubscribe());
        const send = (entry: LogEntry): void => stream.send({ type: 'log', ...view(entry) });
        // Subscribed before it looks back; what comes meanwhile waits, so that nothing is lost or told twice.
        const meanwhile: LogEntry[] = [];
        let live: (entry: LogEntry) => void = (entry) => void meanwhile.push(entry);
        unsubscribe = deps.logs.subscribe((entry) => {
          if (entry.source === source && matches(entry, { level, text })) live(entry);
        });
        let last = '';
        if (after !== undefined) {
          for (const entry of (await deps.logs.read(source, { level, text, after }, CATCH_UP)).reverse()) {
            send(entry);
            last = entry.id;
          }
        }
        for (const entry of meanwhile) if (entry.id > last) send(entry);
        live = send;
      },
    }),
  ];
}
