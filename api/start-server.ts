/** The composition root: opens everything in order, serves, and closes it in the opposite order. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Engine } from '../activities/engine';
import { beforeStatement } from '../activities/fault-point';
import { lockDataDirectory } from '../activities/lifecycle/data-lock';
import { holdsDatabase } from '../activities/lifecycle/database-files';
import { checkIntegrity } from '../activities/lifecycle/integrity-check';
import { isMarked, mark, readMarker, unmark, type Expected } from '../activities/lifecycle/dirty-marker';
import { findShutdownCause, reportShutdownCause } from '../activities/lifecycle/shutdown-cause';
import type { LogFiles } from '../activities/logs/log-files';
import { Runtime } from '../activities/runtime';
import { connectExternal, startEmbeddedTemporal } from '../activities/temporal-server';
import { seconds } from '../activities/timings';
import { cacheDir } from '../config/paths';
import type { Origins } from '../config/origins';
import type { Settings } from '../config/schema';
import { databaseFile, openStore } from '../store/open-store';
import { createApp } from './app';
import { announce } from './announce';
import { apiDeps } from './api-deps';
import { openAiRoutes } from './openai/routes';
import { removeRuntimeFile, writeRuntimeFile } from './runtime-file';
import { databaseOf } from './database';
import { configureServer, serverOptions } from './server';
import { markDeadProcesses } from './dead-processes';

export interface StartOptions {
  readonly settings: Settings;
  /** Where each setting came from. */
  readonly origins: Origins;
  /** The settings file, for the suggestions printed. */
  readonly file: string | null;
  readonly log: Logger;
  readonly logs: LogFiles;
}

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** How long the ready line waits for the engine; later the server is up all the same, degraded (C6). */
const ENGINE_WAIT_MS = 30_000;
/** Connections that may wait to be taken: a burst of thousands must not meet a full list (A7). The system caps it. */
const BACKLOG = 4_096;
const PACKAGE_ROOT = path.join(__dirname, '..', '..');

export async function startServer({ settings, origins, file, log, logs }: StartOptions): Promise<RunningServer> {
  const startedAt = Date.now();
  const dataDir = settings.SYSTEM.PATHS.SYSTEM_DATA!;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockDataDirectory(dataDir);
  const unclean = isMarked(dataDir);
  if (unclean && settings.DATABASE.TYPE === 'sqlite') {
    await checkIntegrity({ dataDir, log, script: path.join(PACKAGE_ROOT, 'dist', 'store', 'quick-check-process.js') });
  } else if (unclean) {
    log.warn('the previous run did not shut down cleanly; checking the database is the PostgreSQL server’s own');
  }
  const finding = unclean ? findShutdownCause(await readMarker(dataDir)) : null;
  const markRun = (expects: Expected): Promise<void> =>
    mark(dataDir, { started_at: startedAt, expects, invocation: process.env.INVOCATION_ID ?? null });
  await markRun(holdsDatabase(databaseFile(dataDir)) ? 'database' : 'nothing');

  const opening = startEngine(settings, dataDir, log);
  opening.catch(() => undefined); // Awaited below; the store is opened meanwhile.
  const store = await openStore({
    database: databaseOf(settings),
    dataDir,
    onFatal: (error) => endAtOnce(error, log),
    beforeStatement,
  });
  await store.lifecycle.append('started', { unclean, pid: process.pid }, startedAt);
  if (store.kind === 'sqlite') await markRun('database_and_log');
  const oomKilledAt = finding && (await reportShutdownCause(await finding, store.lifecycle, log));
  await store.accounts.ensureAdmin(startedAt);
  await markDeadProcesses(store, startedAt);

  const engine = await opening;
  const version = packageVersion();
  const runtime = new Runtime({
    settings,
    store,
    engine,
    bundlePath: path.join(PACKAGE_ROOT, 'dist', 'workflow-bundle.js'),
    dataDir,
    cacheDir: cacheDir(),
    version,
    oomKilledAt,
    log,
  });
  await runtime.start();

  let url = '';
  const operatorToken = randomBytes(32).toString('base64url');
  const deps = apiDeps({
    settings,
    origins,
    store,
    engine,
    runtime,
    log,
    logs,
    version,
    startedAt,
    operatorToken,
    dataDir,
    webRoot: path.join(PACKAGE_ROOT, 'dist', 'web', 'browser'),
    addresses: () => [url],
  });
  const app = createApp(deps.api, openAiRoutes(runtime, settings));
  const server = configureServer(http.createServer(serverOptions, app.callback()));
  url = await listen(server, settings.SERVER);
  await runtime.untilEngineReady(ENGINE_WAIT_MS);
  await writeRuntimeFile(dataDir, { startedAt, api: url, operatorToken, version });
  await announce({ store, settings, file, url, engine, catalogue: runtime.catalogue, log });

  return {
    url,
    async stop() {
      await removeRuntimeFile(dataDir);
      server.close();
      await runtime.stop(seconds(settings.SERVER.SHUTDOWN_DRAIN_SEC));
      deps.close();
      server.closeAllConnections();
      await engine.stop();
      await store.lifecycle.append('stopped', { clean: true }, Date.now());
      if (store.kind === 'sqlite') await markRun('database');
      await store.close();
      await unmark(dataDir);
      await unlock();
      log.info('stopped cleanly');
    },
  };
}

/** C6, C9: going on could lose what was acknowledged. The marker stays, so the next start checks first. */
function endAtOnce(error: Error, log: Logger): void {
  log.fatal({ code: error.name }, `the database can't be trusted any more, so SoAI stops: ${error.message}`);
  process.exit(1);
}

function startEngine(settings: Settings, dataDir: string, log: Logger): Promise<Engine> {
  const { ADDRESS: address, NAMESPACE: namespace, BINARY: binary } = settings.TEMPORAL;
  const child = log.child({ source: 'temporal' });
  if (address !== null) return connectExternal({ address, namespace, log: child });
  return startEmbeddedTemporal({ dataDir, namespace, binary, log: child });
}

function listen(server: http.Server, { HOST, PORT }: Settings['SERVER']): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, HOST, PORT)));
    server.listen({ port: PORT, host: HOST, backlog: BACKLOG }, () => {
      const { port } = server.address() as AddressInfo;
      resolve(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`);
    });
  });
}

class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new CannotListen(
      `port ${port} of ${host} is in use by another program; choose another one with SERVER.PORT.`,
    );
  if (error.code === 'EACCES')
    return new CannotListen(`port ${port} of ${host} needs more rights; choose one above 1023 with SERVER.PORT.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new CannotListen(`${host} is not an address of this machine; check SERVER.HOST.`);
  return error;
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
