/** C3: asks systemd how the run before this one ended; `unknown` wherever it can't or doesn't say. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import type { Lifecycle } from '../../store/store';
import type { Marker } from './dirty-marker';
import { shutdownCause, type ShutdownCause } from './systemd-records';
import { unitOf } from './systemd-unit';

/** Each question; a start must not wait for a hanging systemd. */
const ANSWER_WITHIN_MS = 5_000;

/** More than one invocation's worth of systemd's own messages. */
const JOURNAL_LINES = '200';

const PROPERTIES = ['InvocationID', 'Result', 'ExecMainCode', 'ExecMainStatus', 'ExecMainExitTimestamp'];

export interface Systemd {
  /** What a command prints; rejects when it fails. */
  readonly ask: (command: string, args: readonly string[]) => Promise<string>;
  /** The text of /proc/self/cgroup. */
  readonly cgroup: () => Promise<string>;
}

/** `previous`: the marker of the run that did not end cleanly. */
export async function findShutdownCause(previous: Marker | null, systemd: Systemd = thisHost): Promise<ShutdownCause> {
  const invocation = previous?.invocation ?? null;
  const unit = unitOf(await systemd.cgroup().catch(() => ''));
  if (previous === null || invocation === null || unit === null) return { cause: 'unknown' };
  const ask = (command: string, ...args: string[]): Promise<string> => systemd.ask(command, args).catch(() => '');
  const journal = ['--quiet', '--no-pager', '--output=json', `--lines=${JOURNAL_LINES}`];
  const since = `--since=@${Math.floor(previous.started_at / 1_000)}`;
  const [show, messages, kernel] = await Promise.all([
    ask(
      'systemctl',
      ...(unit.user ? ['--user'] : []),
      'show',
      unit.name,
      ...PROPERTIES.map((name) => `--property=${name}`),
    ),
    ask(
      'journalctl',
      ...journal,
      `${unit.user ? 'USER_' : ''}UNIT=${unit.name}`,
      `${unit.user ? 'USER_' : ''}INVOCATION_ID=${invocation}`,
    ),
    ask('journalctl', ...journal, since, '--grep=^oom-kill:', '_TRANSPORT=kernel'),
  ]);
  return shutdownCause({ invocation, show, journal: messages, kernel, cgroup: unit.cgroup });
}

/** Into both logs. Returns when memory ran out, or null. */
export async function reportShutdownCause(
  cause: ShutdownCause,
  lifecycle: Lifecycle,
  log: Logger,
): Promise<number | null> {
  await lifecycle.append('previous_shutdown', { ...cause }, Date.now());
  if (cause.cause !== 'oom_kill') {
    log.warn(cause, 'how the previous run ended, as far as systemd knows');
    return null;
  }
  log.error(
    cause,
    'the system ran out of memory and ended the previous run: free memory, or reduce loaded models, ' +
      'context length, batch size or concurrency',
  );
  return cause.at;
}

const thisHost: Systemd = {
  ask: async (command, args) => {
    const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
    const options = { env, timeout: ANSWER_WITHIN_MS, maxBuffer: 8 << 20 };
    return (await promisify(execFile)(command, args, options)).stdout;
  },
  cgroup: () => readFile('/proc/self/cgroup', 'utf8'),
};
