/**
 * C3: how one invocation of a service ended, from what systemd and the kernel recorded. Pure.
 *
 * The first row that applies decides:
 *
 * | record                                                          | cause                   |
 * |-----------------------------------------------------------------|-------------------------|
 * | the unit's result is `oom-kill`                                 | `oom_kill`              |
 * | the main process was KILLed, and within a minute of it systemd  | `oom_kill`              |
 * | or the kernel reports an OOM kill of this unit                  |                         |
 * | the main process was killed by a signal or dumped core          | `signal`                |
 * | the main process exited                                         | `exit_code`             |
 * | anything else                                                   | `unknown`               |
 *
 * A signal alone is never memory exhaustion: an operator, a deployment or a power button send them too.
 */
import { z } from 'zod';

export type ShutdownCause =
  | { readonly cause: 'oom_kill'; readonly at: number }
  | { readonly cause: 'signal'; readonly at: number; readonly signal: string }
  | { readonly cause: 'exit_code'; readonly at: number; readonly exitCode: number }
  | { readonly cause: 'unknown' };

export interface SystemdRecords {
  /** systemd's id of the invocation that is asked about. */
  readonly invocation: string;
  /** `systemctl show -p InvocationID -p Result -p ExecMain…`, with TZ=UTC. */
  readonly show: string;
  /** `journalctl -o json` of systemd's own messages on the unit, in any order. */
  readonly journal: string;
  /** `journalctl -o json` of the kernel's OOM messages. */
  readonly kernel: string;
  /** The unit's control group. */
  readonly cgroup: string;
}

/** Message ids of systemd's catalogue (sd-messages.h); unlike the wording they don't change. */
const PROCESS_EXIT = '98e322203f7a4ed290d09fe03c09fe15';
const OOM_KILL = new Set(['fe6faa94e7774663a0da52717891d8ef', 'd989611b15e44c9dbf31e3c81256e4ed']);

/** How far the kill and the exit it caused lie apart at most in the records, ms. */
const SAME_EVENT_MS = 60_000;

const text = z.string().optional().catch(undefined);
const entry = z.object({
  __REALTIME_TIMESTAMP: z.string(),
  MESSAGE: text,
  MESSAGE_ID: text,
  INVOCATION_ID: text,
  USER_INVOCATION_ID: text,
  UNIT_RESULT: text,
  EXIT_CODE: text,
  EXIT_STATUS: text,
  COMMAND: text,
});
type Entry = z.infer<typeof entry>;

export function shutdownCause(records: SystemdRecords): ShutdownCause {
  const entries = parse(records.journal).filter((each) => invocationOf(each) === records.invocation);
  const shown = shownOf(records.show, records.invocation);
  const result = entries.findLast((each) => each.UNIT_RESULT !== undefined);
  const killed = entries.find((each) => OOM_KILL.has(each.MESSAGE_ID ?? ''));
  const exit = mainExit(entries) ?? shown.exit;
  const resultAt = result?.UNIT_RESULT === 'oom-kill' ? millis(result) : shown.oomKilled ? exit?.at : undefined;
  if (resultAt !== undefined) return { cause: 'oom_kill', at: killed ? millis(killed) : resultAt };
  if (exit === null) return { cause: 'unknown' };
  if (exit.code === 'exited') return { cause: 'exit_code', at: exit.at, exitCode: exit.status };
  if (exit.status === 9) {
    const reports = [...(killed ? [millis(killed)] : []), ...kernelKills(records.kernel, records.cgroup)];
    const at = reports.find((each) => Math.abs(each - exit.at) <= SAME_EVENT_MS);
    if (at !== undefined) return { cause: 'oom_kill', at };
  }
  return { cause: 'signal', at: exit.at, signal: exit.signal };
}

interface MainExit {
  readonly code: 'exited' | 'killed' | 'dumped';
  readonly status: number;
  readonly signal: string;
  readonly at: number;
}

function mainExit(entries: readonly Entry[]): MainExit | null {
  const last = entries.findLast(
    (each) => each.MESSAGE_ID === PROCESS_EXIT && (each.COMMAND ?? 'ExecStart') === 'ExecStart',
  );
  const code = codes.safeParse(last?.EXIT_CODE);
  if (!last || !code.success) return null;
  const status = Number(last.EXIT_STATUS);
  return {
    code: code.data,
    status,
    signal: /status=\d+\/(\w+)/.exec(last.MESSAGE ?? '')?.[1] ?? String(status),
    at: millis(last),
  };
}

const codes = z.enum(['exited', 'killed', 'dumped']);

/** waitid(2)'s si_code, as `systemctl show` prints it. */
const CODE_NUMBERS: Readonly<Record<string, MainExit['code']>> = { 1: 'exited', 2: 'killed', 3: 'dumped' };

/** The unit's state is its newest invocation's: nearly always the one that asks. */
function shownOf(show: string, invocation: string): { oomKilled: boolean; exit: MainExit | null } {
  const of = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(show)?.[1] ?? '';
  // "Mon 2026-11-30 12:00:00 UTC"; empty while it runs.
  const at = Date.parse(of('ExecMainExitTimestamp').replace(/^\w{3} /, ''));
  const code = CODE_NUMBERS[of('ExecMainCode')];
  if (of('InvocationID') !== invocation || Number.isNaN(at) || !code) return { oomKilled: false, exit: null };
  const status = of('ExecMainStatus');
  return { oomKilled: of('Result') === 'oom-kill', exit: { code, status: Number(status), signal: status, at } };
}

/** When the kernel killed something of this control group for want of memory. */
function kernelKills(kernel: string, cgroup: string): number[] {
  return parse(kernel)
    .filter(({ MESSAGE = '' }) => MESSAGE.startsWith('oom-kill:') && taskGroup(MESSAGE) === cgroup)
    .map(millis);
}

function taskGroup(message: string): string | undefined {
  return /\btask_memcg=([^,]*),/.exec(message)?.[1];
}

/** Lines that are not of the shape expected are passed over; oldest first. */
function parse(lines: string): Entry[] {
  return lines
    .split('\n')
    .flatMap((line) => {
      try {
        const parsed = entry.safeParse(JSON.parse(line));
        return parsed.success ? [parsed.data] : [];
      } catch {
        return [];
      }
    })
    .sort((a, b) => millis(a) - millis(b));
}

function invocationOf(each: Entry): string | undefined {
  return each.INVOCATION_ID ?? each.USER_INVOCATION_ID;
}

/** The journal counts microseconds. */
function millis(each: Entry): number {
  return Math.floor(Number(each.__REALTIME_TIMESTAMP) / 1_000);
}
