/** The real Koa application on a real port, over fakes for what lies behind it. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import type Router from '@koa/router';
import pino from 'pino';
import { Agent, request } from 'undici';
import { createApp } from '../../api/app';
import { newApiKey } from '../../api/auth/api-key-format';
import type { Health, LiveEvent, Plugin } from '../../api/contract/management';
import type { PluginDetail } from '../../api/contract/plugins';
import type { ApiDeps } from '../../api/deps';
import { configureServer, serverOptions } from '../../api/server';
import type { RequestState } from '../../api/state';
import type { Account } from '../../store/records';
import type { Store } from '../../store/store';
import { MemoryStore } from './memory-store';
import { ModelWorld, type ModelWorldOptions } from './model-world';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
  json(): any;
}

export interface ApiUnderTest {
  readonly url: string;
  readonly port: number;
  readonly store: MemoryStore;
  readonly admin: Account;
  readonly user: Account;
  readonly adminKey: string;
  readonly userKey: string;
  readonly operatorToken: string;
  readonly logLines: Record<string, unknown>[];
  readonly models: ModelWorld;
  readonly listeners: Set<(event: LiveEvent) => void>;
  readonly restarted: string[];
  /** What an operator asked for: `reset p1`, `clear p1`. */
  readonly healed: string[];
  readonly cancelled: string[];
  readonly stopping: AbortController;
  readonly clock: { now: number };
  health: Health;
  engineState: 'up' | 'starting' | 'down';
  keyFor(account: Account): string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export interface Options extends ModelWorldOptions {
  readonly openAiRoutes?: (router: Router<RequestState>, models: ModelWorld) => void;
  readonly webRoot?: string;
  readonly maxBodyBytes?: number;
  readonly trustedProxies?: string[];
  /** In place of the memory store, which stays empty then. */
  readonly store?: Store;
}

export async function startApi(options: Options = {}): Promise<ApiUnderTest> {
  const store = new MemoryStore();
  const admin = store.addAccount('admin', 'administrator');
  const user = store.addAccount('ada', 'standard');
  const agent = new Agent({ keepAliveTimeout: 1_000 });
  const logLines: Record<string, unknown>[] = [];
  const api = {
    store,
    admin,
    user,
    logLines,
    operatorToken: 'operator-token-of-this-run',
    listeners: new Set<(event: LiveEvent) => void>(),
    restarted: [] as string[],
    healed: [] as string[],
    cancelled: [] as string[],
    stopping: new AbortController(),
    clock: { now: 1_700_000_000_000 },
    health: okHealth(),
    engineState: 'up' as const,
    keyFor: (account: Account) => addKey(store, account),
  } as unknown as Mutable<ApiUnderTest>;
  api.models = new ModelWorld(store, api.clock, logOf(api), options);
  await api.models.catalogue.refresh();
  store.calls.length = 0;
  api.adminKey = addKey(store, admin);
  api.userKey = addKey(store, user);

  const app = createApp(depsOf(api, options), (router) => options.openAiRoutes?.(router, api.models));
  const server = configureServer(http.createServer(serverOptions, app.callback()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api.port = (server.address() as AddressInfo).port;
  api.url = `http://127.0.0.1:${api.port}`;
  api.get = (target, headers = {}) => api.send('GET', target, undefined, headers);
  api.send = async (method, target, body, headers = {}) => {
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const answer = await request(api.url + target, {
      dispatcher: agent,
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : isText ? body : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) };
  };
  api.close = async () => {
    api.stopping.abort();
    await agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return api;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

export function okHealth(): Health {
  return {
    status: 'ok',
    reasons: [],
    version: '0.1.0',
    uptime_sec: 1,
    engine: 'up',
    queue: { waiting: 1, running: 2, deferred: 3 },
  };
}

export function aPlugin(id: string): Plugin {
  return {
    id,
    package: 'openai-compatible',
    version: '1.0.0',
    title: 'OpenAI-compatible server',
    origin: 'config',
    enabled: true,
    local: false,
    cloned_from: null,
    draining: false,
    loaded_model: null,
    max_concurrent_tasks: 8,
    running: 0,
    waiting: 0,
    compatibility: { state: 'compatible', reason: null },
    backend: { state: 'running', reason: null },
    worker: { state: 'idle', reason: null },
    quarantine: { state: 'none', reason: null, since: null },
    circuit: { state: 'closed', failure_count: 0, last_failure_at: null, retry_at: null },
    flapping: false,
    recovery_attempts: 0,
    last_ping_at: null,
  };
}

function aPluginDetail(): PluginDetail {
  return {
    ...aPlugin('p1'),
    settings: {},
    secrets: [],
    settings_schema: null,
    idle_unload_sec: 0,
    preload: false,
    read_only: null,
    package_digest: null,
    models: [],
  };
}

function addKey(store: MemoryStore, account: Account): string {
  const { key, prefix, hash } = newApiKey();
  const id = `key-${store.keyRows.size + 1}`;
  const unused = { expiresAt: null, revokedAt: null, lastUsedAt: null };
  store.keyRows.set(id, { id, name: id, accountId: account.id, prefix, hash, createdAt: 0, ...unused });
  return key;
}

function depsOf(api: ApiUnderTest, options: Options): ApiDeps {
  const server = { HOST: '127.0.0.1', PORT: 0, SHUTDOWN_DRAIN_SEC: 15, KEEP_ALIVE_COMMENT_SEC: 15 };
  return {
    settings: {
      SERVER: {
        ...server,
        MAX_BODY_BYTES: options.maxBodyBytes ?? 8 * 1024 * 1024,
        TRUSTED_PROXIES: options.trustedProxies ?? [],
      },
    },
    store: options.store ?? api.store.asStore(),
    dispatcher: {
      standing: () => null,
      snapshot: () => ({
        capacity: 1024,
        waiting: [
          { taskId: 't', ownerId: 'o', pluginId: 'p1', priority: 'flex', enqueuedAt: api.clock.now - 500 },
          { taskId: 'u', ownerId: 'o', pluginId: 'p1', priority: 'high', enqueuedAt: api.clock.now - 100 },
        ],
        running: 2,
        deferred: 3,
      }),
      async cancel(id, reason) {
        const task = api.store.taskRows.get(id);
        if (!task || task.finishedAt !== null) return false;
        api.cancelled.push(id);
        api.store.taskRows.set(id, { ...task, state: 'cancelled', reason, finishedAt: api.clock.now });
        return true;
      },
    },
    engine: {
      get state() {
        return api.engineState;
      },
      address: '127.0.0.1:7233',
      namespace: 'soai',
      consoleUrl: 'http://127.0.0.1:8233/',
      onChange: () => () => undefined,
      stop: () => Promise.resolve(),
    },
    models: api.models.deps(),
    pluginViews: {
      plugins: () => [aPlugin('p1')],
      detail: async (id) => (id === 'p1' ? aPluginDetail() : null),
      packages: () => [],
      packageView: () => {
        throw new Error('no packages here');
      },
    },
    plugins: {
      switches: { restart: async (id: string) => void api.restarted.push(id) },
    } as unknown as ApiDeps['plugins'],
    pluginHealth: {
      resetCircuit: async (id) => void api.healed.push(`reset ${id}`),
      clearQuarantine: async (id) => void api.healed.push(`clear ${id}`),
    },
    live: {
      subscribe(listener) {
        api.listeners.add(listener);
        return () => api.listeners.delete(listener);
      },
    },
    log: logOf(api),
    logs: { read: async () => [], sources: async () => ['core'], subscribe: () => () => undefined },
    version: '0.1.0',
    startedAt: 5,
    operatorToken: api.operatorToken,
    dataDir: '/somewhere',
    webRoot: options.webRoot ?? path.join(tmpdir(), 'soai-has-no-webui-here'),
    stopping: api.stopping.signal,
    health: () => api.health,
    addresses: () => [api.url],
    now: () => api.clock.now,
  };
}

function logOf(api: Pick<ApiUnderTest, 'logLines'>): pino.Logger {
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      for (const text of line.toString().split('\n')) if (text) api.logLines.push(JSON.parse(text));
      done();
    },
  });
  return pino({ level: 'debug' }, sink);
}
