/** One run of the `temporal` executable as our child. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log } from './log';
import { endProcess, identify, type ProcessIdentity } from './process-identity';

const SETPRIV = '/usr/bin/setpriv';
const TAIL_LINES = 5;

/** What the server needs of our environment; the rest may hold provider keys. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG'];

export class ServerProcess {
  readonly identity: ProcessIdentity;
  /** Resolves when the process has ended, never rejects. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Its last words, for the log when it ends by itself. */
  readonly tail: string[] = [];

  private constructor(child: ChildProcess, log: Log) {
    this.identity = identify(child.pid!);
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    for (const stream of [child.stdout, child.stderr]) this.#follow(stream!, log);
  }

  /**
   * In a session of its own, so that Ctrl-C in our terminal reaches us alone and we decide when the
   * server stops. Where util-linux's setpriv is there the kernel kills it the moment we die, however
   * we die (the tie is to the thread that spawns: call this on the main thread); elsewhere the next
   * start ends it by its recorded pid and start time.
   */
  static async start(binary: string, args: readonly string[], log: Log): Promise<ServerProcess> {
    const tied = process.platform === 'linux' && existsSync(SETPRIV);
    const [command, commandArgs] = tied ? [SETPRIV, ['--pdeathsig', 'KILL', '--', binary, ...args]] : [binary, args];
    const child = spawn(command, commandArgs, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    });
    await once(child, 'spawn');
    return new ServerProcess(child, log);
  }

  end(graceMs: number): Promise<void> {
    return endProcess(this.identity, graceMs);
  }

  #follow(stream: Readable, log: Log): void {
    createInterface({ input: stream }).on('line', (line) => {
      log.debug({ line }, 'temporal');
      this.tail.push(line);
      if (this.tail.length > TAIL_LINES) this.tail.shift();
    });
  }
}
