/** Checks of the ports SoAI needs: its own, and Temporal's. */
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cacheDir } from '../../config/paths';
import type { Settings } from '../../config/schema';
import type { Health } from '../../api/contract/management';
import { fail, pass, type Finding } from './finding';

const CONNECT_MS = 3_000;

export async function checkPort({ SERVER: { HOST, PORT } }: Settings, running: boolean): Promise<Finding> {
  const address = `${HOST}:${PORT}`;
  if (running) return pass('port', `${address}, in use by the server`);
  const error = await listenError(HOST, PORT);
  if (error === null) return pass('port', PORT === 0 ? 'a free one is picked at the start' : `${address} is free`);
  const fix = 'Stop what uses it, or start with another one: soai start --port PORT';
  return fail('port', `${address} cannot be listened on (${error}).`, fix);
}

export async function checkTemporal(
  { TEMPORAL: { ADDRESS, BINARY } }: Settings,
  health: Health | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding> {
  if (health !== null) {
    if (health.engine === 'up') return pass('temporal', 'connected');
    const fix = 'It is started again by itself. When it stays away, look at the log.';
    return fail('temporal', `The engine is ${health.engine}.`, fix);
  }
  if (ADDRESS !== null) {
    if (await canConnect(ADDRESS)) return pass('temporal', `${ADDRESS} accepts connections`);
    return fail(
      'temporal',
      `${ADDRESS} does not accept connections.`,
      'Start that server, or set TEMPORAL.ADDRESS: null.',
    );
  }
  const found = embeddedBinary(BINARY, env);
  if (found !== null) return pass('temporal', `embedded, ${found}`);
  const fix = 'npm run setup gets it; or install the Temporal CLI; or set TEMPORAL.ADDRESS to a running server.';
  return fail('temporal', 'No temporal program was found for the embedded server.', fix);
}

function embeddedBinary(configured: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  if (configured?.includes('/')) return existsSync(configured) ? configured : null;
  const cache = join(cacheDir(env), 'temporal');
  const cached = existsSync(cache) ? readdirSync(cache).map((version) => join(cache, version, 'temporal')) : [];
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, configured ?? 'temporal'));
  const goBin = [env.GOBIN, join((env.GOPATH || join(env.HOME || homedir(), 'go')).split(delimiter)[0] ?? '', 'bin')];
  const fromGo = goBin.flatMap((directory) => (directory ? [join(directory, 'temporal')] : []));
  return [...onPath, ...cached, ...fromGo].find((candidate) => existsSync(candidate)) ?? null;
}

function listenError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

function canConnect(address: string): Promise<boolean> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(address.slice(at + 1)), timeout: CONNECT_MS });
    const settle = (good: boolean) => {
      socket.destroy();
      resolve(good);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}
