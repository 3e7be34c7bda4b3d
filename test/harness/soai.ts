/** The real product as a child process: its own data directory, settings file and port. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { LogLines, type LogLine } from './log-lines';
import { assertBuilt, COMMAND, ROOT, SERVER } from './product';
import { merge, type SettingsTree } from './settings';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;

export interface SoaiOptions {
  readonly settings: SettingsTree;
  readonly env?: NodeJS.ProcessEnv;
  /** An existing one is kept; without it a new one is made, and removed by `dispose`. */
  readonly dataDir?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Soai {
  readonly log = new LogLines();
  #child: ChildProcess | null = null;
  #exit: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  #url = '';
  #key = '';

  private constructor(
    readonly dataDir: string,
    private readonly options: SoaiOptions,
  ) {}

  static async start(options: SoaiOptions): Promise<Soai> {
    assertBuilt();
    const soai = new Soai(options.dataDir ?? (await mkdtemp(join(tmpdir(), 'soai-test-'))), options);
    await soai.#launch(0, {});
    soai.#key = (await soai.command<{ key: string }>('key', 'create', 't', '--user', 'admin')).key;
    return soai;
  }

  /** e.g. http://127.0.0.1:40123, the same over a restart. */
  get url(): string {
    return this.#url;
  }

  /** An API key of the account `admin`. */
  get key(): string {
    return this.#key;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get configFile(): string {
    return join(this.dataDir, 'test-settings.yaml');
  }

  logs(): readonly LogLine[] {
    return this.log.lines;
  }

  /** Runs `bin/soai … -o json --config FILE` and returns what it printed. */
  async command<T>(...words: readonly string[]): Promise<T> {
    const { stdout } = await promisify(execFile)(COMMAND, [...words, '-o', 'json', '--config', this.configFile], {
      env: { ...process.env, ...this.options.env },
      timeout: READY_WITHIN_MS,
    });
    return JSON.parse(stdout) as T;
  }

  /** Resolves when the process is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.#child?.kill(signal);
    return this.#exit;
  }

  /** SIGTERM; the process must end by itself. */
  async stop(): Promise<Exit> {
    const child = this.#child;
    const forced = setTimeout(() => child?.kill('SIGKILL'), STOP_WITHIN_MS);
    try {
      return await this.kill('SIGTERM');
    } finally {
      clearTimeout(forced);
    }
  }

  /** Starts again on the same data and port, after `kill` or `stop` (stops first when it runs). `env`: for this run. */
  async restart(env: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.stop();
    await this.ensureRunning(env);
  }

  async ensureRunning(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) return;
    await this.#launch(Number(new URL(this.#url).port), env);
  }

  /** Resolves when the process has ended, whoever ended it. */
  get exited(): Promise<Exit> {
    return this.#exit;
  }

  /** Stops and removes what `start` made. */
  async dispose(): Promise<void> {
    await this.stop();
    if (!this.options.dataDir) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 3 });
  }

  async #launch(port: number, more: NodeJS.ProcessEnv): Promise<void> {
    const own = { SYSTEM: { PATHS: { SYSTEM_DATA: this.dataDir } }, SERVER: { PORT: port }, LOG: { FORMAT: 'json' } };
    const tree = merge(merge(DEFAULTS, this.options.settings), own);
    await writeFile(this.configFile, stringify(tree, { aliasDuplicateObjects: false }));
    const linesBefore = this.log.lines.length;
    const child = spawn(process.execPath, [SERVER, '--config', this.configFile], {
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'production', ...this.options.env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.log.read(child.stdout);
    this.log.read(child.stderr);
    this.#exit = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    void this.#exit.then(() => process.off('exit', endWithUs));

    const ready = this.log.until('ready', (line) => line.msg === 'ready', READY_WITHIN_MS, linesBefore);
    const died = this.#exit.then(({ code, signal }) => Promise.reject(new Error(`SoAI ended (${code ?? signal})`)));
    try {
      await Promise.race([ready, died]);
    } catch (cause) {
      child.kill('SIGKILL');
      throw new Error(`SoAI did not get ready. Its last lines:\n${this.log.tail(30)}`, { cause });
    } finally {
      void Promise.allSettled([ready, died]);
    }
    const runtime = JSON.parse(await readFile(join(this.dataDir, 'run/server.json'), 'utf8')) as { api: string };
    this.#url = runtime.api;
  }
}

/** No suite depends on this host's disk, and one test's failures must not open the next one's circuit. */
const DEFAULTS: SettingsTree = {
  MODELS: {
    ROUTING: {
      MIN_FREE_DISK_BYTES_FOR_ACCEPT: 0,
      HEALTH_CHECKS: { FAILURE_THRESHOLD: 1_000_000, INTERVAL_SEC: 3_600 },
    },
  },
};

export const startSoai = (options: SoaiOptions): Promise<Soai> => Soai.start(options);
