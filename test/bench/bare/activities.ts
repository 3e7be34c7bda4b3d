/** In-process rendezvous: the activity writes the backend's answer straight into the waiting response. */
import type { ServerResponse } from 'node:http';
import { Pool } from 'undici';

export interface Waiting {
  readonly path: string;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

export interface BareActivities {
  call(id: string): Promise<void>;
}

export function bareActivities(upstreamUrl: string, waiting: ReadonlyMap<string, Waiting>): BareActivities {
  const { origin } = new URL(upstreamUrl);
  const pool = new Pool(origin, { connections: 256, pipelining: 1 });
  return {
    async call(id) {
      const request = waiting.get(id);
      if (!request) throw new Error(`nobody waits for ${id}`);
      const headers = { 'content-type': 'application/json' };
      await pool.stream({ path: request.path, method: 'POST', headers, body: request.body }, (answer) => {
        request.response.writeHead(answer.statusCode, { 'content-type': String(answer.headers['content-type']) });
        return request.response;
      });
    },
  };
}
