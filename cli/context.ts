/** What a command has at hand: the global options, the settings, the server, the printer. */
import { variableFor } from '../config/environment';
import { formatFault } from '../config/fault';
import { splitAssignment, type Flags } from '../config/flags';
import { loadSettings, type LoadResult } from '../config/load';
import { dataDir } from '../config/paths';
import type { Settings } from '../config/schema';
import { ApiClient } from './api-client';
import { CliError, EXIT } from './exit-code';
import { FORMATS, Printer, type Format } from './output/printer';
import { runningServer } from './running-server';
import type { Terminal } from './terminal';

export interface GlobalOptions {
  readonly output?: string;
  readonly config?: string;
  readonly set?: readonly string[];
  readonly server?: string;
}

export class Context {
  readonly print: Printer;

  constructor(
    readonly terminal: Terminal,
    readonly options: GlobalOptions,
  ) {
    this.print = new Printer(
      terminal,
      FORMATS.find((format) => format === options.output) ?? ('table' satisfies Format),
    );
  }

  get flags(): Flags {
    const { config, set = [] } = this.options;
    return { ...(config === undefined ? {} : { config }), set: set.map(splitAssignment) };
  }

  load(): LoadResult {
    return loadSettings({ flags: this.flags, env: this.terminal.env, cwd: this.terminal.cwd });
  }

  /** The settings, or all of their faults as a usage error. */
  settings(): Settings {
    return this.sound().settings;
  }

  sound(): Extract<LoadResult, { ok: true }> {
    const loaded = this.load();
    if (loaded.ok) return loaded;
    const lines = ['The settings are at fault:', ...loaded.faults.map(formatFault)];
    throw new CliError(EXIT.usage, 'invalid_settings', lines.join('\n'));
  }

  get dataDir(): string {
    return dataDir(this.settings(), this.terminal.env);
  }

  /** The address given by `--server` or SOAI_URL, or null. */
  get namedServer(): string | null {
    const given = this.options.server ?? this.terminal.env.SOAI_URL;
    if (!given) return null;
    const url = URL.canParse(given) ? new URL(given) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) {
      const message = 'The server must be an http:// or https:// URL without a user name.';
      throw new CliError(EXIT.usage, 'invalid_server', message, 'For example: --server http://127.0.0.1:8420');
    }
    return (url.origin + url.pathname).replace(/\/+$/, '');
  }

  /** The server to ask; fails with exit code 3 when none is named and none runs here. */
  readonly api = (): ApiClient => {
    const found = this.apiIfRunning();
    if (found !== null) return found;
    const message = `No server is running for the data directory ${this.dataDir}.`;
    throw new CliError(
      EXIT.unreachable,
      'not_running',
      message,
      'Start one with: soai start. Or name one: --server URL',
    );
  };

  /** null: no server is named, and none runs on the data directory. */
  apiIfRunning(): ApiClient | null {
    const key = this.terminal.env.SOAI_API_KEY || null;
    const named = this.namedServer;
    // The token of the local server is never sent to an address that was given by hand.
    if (named !== null) return new ApiClient({ url: named, token: key });
    const running = runningServer(this.dataDir);
    return running === null ? null : new ApiClient({ url: running.api, token: key ?? running.operator_token });
  }

  /** The environment that gives a child process the same settings as this command has. */
  childEnvironment(): NodeJS.ProcessEnv {
    const set = (this.flags.set ?? []).map(({ path, value }) => [variableFor(path), value] as const);
    return { ...this.terminal.env, ...Object.fromEntries(set) };
  }
}
