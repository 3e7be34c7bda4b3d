/**
 * The embedded Temporal server: `temporal server start-dev` as a supervised child (spec C6).
 * It is restarted for as long as we live, is tied to our life, and keeps its addresses while it can.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine, EngineState } from '../engine';
import { findTemporalBinary, TemporalNotFound, type TemporalBinary } from './binary';
import { LOOPBACK, serverArguments, type ServerPorts } from './command-line';
import { TemporalDataDirectory } from './data-directory';
import { EngineStateCell } from './engine-state';
import type { Log } from './log';
import { choosePorts } from './ports';
import { reasonOf, ServerProbe } from './probe';
import { identify } from './process-identity';
import { reapOrphan } from './reap';
import { RestartPolicy } from './restart-policy';
import { ServerProcess } from './server-process';
import { watchHealth } from './watch-health';

const STOP_GRACE_MS = 5000;
/** Alive but not answering for this long: it is killed and started anew. */
const FROZEN_AFTER_MS = 30_000;

export interface EmbeddedTemporalOptions {
  /** SYSTEM_DATA. */
  readonly dataDir: string;
  /** Default `$XDG_CACHE_HOME/soai`. */
  readonly cacheDir?: string;
  readonly namespace: string;
  /** Executable to use (TEMPORAL.BINARY); null looks for one. */
  readonly binary?: string | null;
  readonly log: Log;
}

/**
 * Resolves once a launch was tried, in state `starting`; follow `onChange` or `untilUp`. When it
 * failed (no executable, say) the state is `down`, the reason is logged, and it is tried again for
 * as long as we live. Rejects only when the data directory's server belongs to another living
 * process (`DataDirectoryInUse`).
 */
export async function startEmbeddedTemporal(options: EmbeddedTemporalOptions): Promise<Engine> {
  const data = new TemporalDataDirectory(options.dataDir);
  await data.prepare();
  await reapOrphan(data, options.log);
  const pin = await data.readPin();
  const engine = new EmbeddedTemporal(data, options, await choosePorts(pin?.ports ?? null));
  await engine.launch();
  return engine;
}

class EmbeddedTemporal implements Engine {
  readonly namespace: string;
  readonly #state: EngineStateCell;
  readonly #stopping = new AbortController();
  readonly #restarts = new RestartPolicy();
  readonly #log: Log;
  #supervision: Promise<void> = Promise.resolve();
  #frozenSince: number | null = null;

  constructor(
    private readonly data: TemporalDataDirectory,
    private readonly options: EmbeddedTemporalOptions,
    private ports: ServerPorts,
  ) {
    this.namespace = options.namespace;
    this.#log = options.log;
    this.#state = new EngineStateCell(options.log);
  }

  get state(): EngineState {
    return this.#state.get();
  }

  /** May change over a restart, when another program took the port meanwhile. */
  get address(): string {
    return `${LOOPBACK}:${this.ports.grpc}`;
  }

  get consoleUrl(): string {
    return `http://${LOOPBACK}:${this.ports.ui}`;
  }

  onChange(listener: (state: EngineState) => void): () => void {
    return this.#state.onChange(listener);
  }

  async launch(): Promise<void> {
    this.#supervision = this.#supervise(await this.#tryLaunch());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#supervision;
  }

  async #supervise(first: ServerProcess | null): Promise<void> {
    const { signal } = this.#stopping;
    let server = first;
    for (;;) {
      if (server) await this.#run(server);
      if (signal.aborted) break;
      await delay(this.#restarts.nextDelayMs(), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      server = await this.#tryLaunch();
    }
    this.#state.set('down');
    await this.data.clearRun();
  }

  /** From launch to exit. */
  async #run(server: ServerProcess): Promise<void> {
    const launchedAt = Date.now();
    const probe = new ServerProbe(this.address, this.namespace);
    const over = new AbortController();
    const end = (): void => void server.end(STOP_GRACE_MS);
    this.#stopping.signal.addEventListener('abort', end, { once: true });
    if (this.#stopping.signal.aborted) end();
    const watch = watchHealth(probe, {
      signal: over.signal,
      eagerIntervalMs: 100,
      report: (healthy, problem) => this.#judge(server, healthy, problem),
    });
    const exit = await server.exited;
    over.abort();
    this.#stopping.signal.removeEventListener('abort', end);
    this.#frozenSince = null;
    if (!this.#stopping.signal.aborted) {
      this.#state.set('down');
      this.#restarts.ended(Date.now() - launchedAt);
      this.#log.warn({ ...exit, lastLines: server.tail }, 'the Temporal server ended by itself; it is started again');
    }
    await probe.close();
    await watch;
  }

  #judge(server: ServerProcess, healthy: boolean, problem: unknown): void {
    if (this.#stopping.signal.aborted) return;
    if (healthy) {
      this.#frozenSince = null;
      if (this.state === 'up') return;
      this.#restarts.cameUp();
      this.#log.info({ address: this.address, console: this.consoleUrl }, 'Temporal is up');
      this.data.restrictDatabase().catch((err: unknown) => this.#log.warn({ err }, 'could not restrict temporal.db'));
      this.#state.set('up');
      return;
    }
    this.#frozenSince ??= Date.now();
    if (this.state === 'up') this.#log.warn({ reason: reasonOf(problem) }, 'the Temporal server does not answer');
    if (this.state === 'up') this.#state.set('down');
    if (Date.now() - this.#frozenSince > FROZEN_AFTER_MS) {
      this.#frozenSince = Date.now();
      this.#log.error({}, 'the Temporal server is frozen; it is killed and started again');
      void server.end(0);
    }
  }

  async #tryLaunch(): Promise<ServerProcess | null> {
    try {
      this.#state.set('starting');
      return await this.#spawn();
    } catch (err) {
      this.#log.error({ err }, 'the Temporal server could not be launched; it is tried again');
      this.#state.set('down');
      return null;
    }
  }

  async #spawn(): Promise<ServerProcess> {
    const { data, namespace } = this;
    const binary = await this.#binaryAndItsDatabase();
    this.ports = await choosePorts(this.ports);
    await data.writePin({ binary: binary.path, server: binary.server, ports: this.ports });
    const args = serverArguments({ ports: this.ports, namespace, database: data.database });
    const server = await ServerProcess.start(binary.path, args, this.#log);
    await data.writeRun({ owner: identify(process.pid), child: server.identity });
    const { pid } = server.identity;
    this.#log.info({ pid, address: this.address, version: binary.server }, 'Temporal server launched');
    return server;
  }

  /** Looked up anew for each launch: it may have been installed, replaced or removed meanwhile. */
  async #binaryAndItsDatabase(): Promise<TemporalBinary> {
    const { data, options } = this;
    const pin = await data.readPin();
    const remembered = pin && { path: pin.binary, server: pin.server };
    const binary = await findTemporalBinary({ cacheDir: options.cacheDir, remembered, chosen: options.binary });
    if (!binary) throw new TemporalNotFound(options.binary);
    if (this.#restarts.databaseIsSuspect) {
      const aside = await data.setDatabaseAside('unusable', new Date());
      this.#log.error({ aside }, 'the Temporal server cannot start on its database, which was set aside');
    } else if (pin?.server !== binary.server && (await data.hasDatabase())) {
      const aside = await data.setDatabaseAside(pin?.server ?? 'unknown', new Date());
      this.#log.warn({ aside }, "Temporal's database is of another server version and was set aside");
    }
    return binary;
  }
}
