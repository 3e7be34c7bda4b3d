/** C3: how the previous run ended, from the formats of systemd 247, 252 and 255. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { Marker } from '../../activities/lifecycle/dirty-marker';
import { findShutdownCause, reportShutdownCause, type Systemd } from '../../activities/lifecycle/shutdown-cause';
import { shutdownCause, type SystemdRecords } from '../../activities/lifecycle/systemd-records';
import { unitOf } from '../../activities/lifecycle/systemd-unit';
import { RecoverySweep, type RecoveryDeps } from '../../activities/recovery-sweep';
import type { TaskRecord } from '../../store/records';

const INVOCATION = '5f0c9b1e6d0a4d3f8a5be7b1c0d94e21';
const record = (name: string): string => readFileSync(join(__dirname, 'systemd', name), 'utf8');

const causeOf = (records: Partial<SystemdRecords>) =>
  shutdownCause({
    invocation: INVOCATION,
    show: record('running.show'),
    journal: '',
    kernel: '',
    cgroup: '/system.slice/soai.service',
    ...records,
  });

test.each(['247', '252', '255'])('C3: systemd %s records an OOM kill', (version) => {
  expect(causeOf({ journal: record(`${version}-oom.jsonl`) })).toEqual({ cause: 'oom_kill', at: 1_796_038_350_517 });
});

test('C3: a KILL with the kernel’s word on this unit is an OOM kill where systemd gives none', () => {
  const journal = record('252-killed.jsonl');
  expect(causeOf({ journal, kernel: record('kernel-oom.jsonl') })).toEqual({
    cause: 'oom_kill',
    at: 1_796_038_350_400,
  });
});

test('C3: a signal alone is not memory exhaustion, nor is another unit’s', () => {
  const journal = record('252-killed.jsonl');
  const signal = { cause: 'signal', at: 1_796_038_350_517, signal: 'KILL' };
  expect(causeOf({ journal })).toEqual(signal);
  expect(causeOf({ journal, kernel: record('kernel-oom.jsonl'), cgroup: '/system.slice/other.service' })).toEqual(
    signal,
  );
});

test('C3: a child killed for want of memory an hour before the end did not end the run', () => {
  expect(causeOf({ journal: record('255-child-oom-earlier.jsonl') })).toMatchObject({
    cause: 'signal',
    signal: 'KILL',
  });
});

test('C3: an exit code is one, and a core dump a signal', () => {
  expect(causeOf({ journal: record('247-exit.jsonl') })).toEqual({
    cause: 'exit_code',
    at: 1_796_038_350_517,
    exitCode: 1,
  });
  const dumped = record('247-exit.jsonl')
    .replace('"EXIT_CODE":"exited"', '"EXIT_CODE":"dumped"')
    .replaceAll('status=1/FAILURE', 'status=6/ABRT')
    .replace('"EXIT_STATUS":"1"', '"EXIT_STATUS":"6"');
  expect(causeOf({ journal: dumped })).toMatchObject({ cause: 'signal', signal: 'ABRT' });
});

test('C3: the unit’s own state counts when it is of that invocation', () => {
  expect(causeOf({ show: record('oom.show') })).toEqual({ cause: 'oom_kill', at: Date.UTC(2026, 10, 30, 12, 12, 30) });
  expect(causeOf({ show: record('oom.show'), invocation: 'ffffffffffffffffffffffffffffffff' })).toEqual({
    cause: 'unknown',
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', '-- No entries --\n{"broken"'],
  [
    'binary fields',
    '{"__REALTIME_TIMESTAMP":"1","MESSAGE":[255,1],"MESSAGE_ID":null,"INVOCATION_ID":"' + INVOCATION + '"}',
  ],
  ['another invocation', record('252-oom.jsonl').replaceAll(INVOCATION, 'ffffffffffffffffffffffffffffffff')],
])('C3: %s in the journal is unknown', (_what, journal) => {
  expect(causeOf({ journal })).toEqual({ cause: 'unknown' });
});

test('C3: the unit is found in either generation of control groups', () => {
  const soai = { name: 'soai.service', user: false, cgroup: '/system.slice/soai.service' };
  expect(unitOf('0::/system.slice/soai.service\n')).toEqual(soai);
  expect(unitOf('12:memory:/system.slice/soai.service\n1:name=systemd:/system.slice/soai.service\n0::/\n')).toEqual(
    soai,
  );
  expect(unitOf('0::/user.slice/user-1000.slice/user@1000.service/app.slice/soai.service/worker\n')).toEqual({
    name: 'soai.service',
    user: true,
    cgroup: '/user.slice/user-1000.slice/user@1000.service/app.slice/soai.service',
  });
  for (const none of [
    '',
    '0::/\n',
    '0::/docker/4f5e\n',
    '0::/user.slice/user-1000.slice/session-2.scope\n',
    '0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-terminal-1.scope\n',
    '0::/user.slice/user-1000.slice/user@1000.service/init.scope\n',
  ]) {
    expect(unitOf(none)).toBeNull();
  }
});

const marker = (fields: Partial<Marker> = {}): Marker => ({
  pid: 4_211,
  started_at: 1_796_038_000_000,
  expects: 'database_and_log',
  invocation: INVOCATION,
  ...fields,
});

/** A host whose commands print `answers`, or fail. */
function host(answers: Record<string, string>, asked: string[][] = []): Systemd {
  return {
    cgroup: async () => '0::/system.slice/soai.service\n',
    ask: async (command, args) => {
      asked.push([command, ...args]);
      const answer = answers[args.includes('_TRANSPORT=kernel') ? 'kernel' : command];
      if (answer === undefined) throw new Error('ENOENT');
      return answer;
    },
  };
}

test('C3: systemd is asked for that very invocation', async () => {
  const asked: string[][] = [];
  const answers = { systemctl: record('running.show'), journalctl: record('255-oom.jsonl'), kernel: '' };
  expect(await findShutdownCause(marker(), host(answers, asked))).toMatchObject({ cause: 'oom_kill' });
  expect(asked.find(([command, ...args]) => command === 'journalctl' && !args.includes('_TRANSPORT=kernel'))).toEqual(
    expect.arrayContaining(['UNIT=soai.service', `INVOCATION_ID=${INVOCATION}`, '--output=json']),
  );
});

test('C3: without systemd, or without a run of it to ask about, the cause is unknown', async () => {
  const unknown = { cause: 'unknown' };
  expect(await findShutdownCause(marker(), host({}))).toEqual(unknown);
  expect(await findShutdownCause(marker({ invocation: null }), host({}))).toEqual(unknown);
  expect(await findShutdownCause(null, host({}))).toEqual(unknown);
  const noCgroups = { ...host({}), cgroup: () => Promise.reject(new Error('ENOENT')) };
  expect(await findShutdownCause(marker(), noCgroups)).toEqual(unknown);
});

test('C3: an OOM kill is in both logs, with what to do about it', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const kinds: unknown[] = [];
  const lifecycle = { append: async (...event: unknown[]) => void kinds.push(event), list: async () => [] };
  expect(await reportShutdownCause({ cause: 'oom_kill', at: 7 }, lifecycle, log)).toBe(7);
  expect(kinds).toEqual([['previous_shutdown', { cause: 'oom_kill', at: 7 }, expect.any(Number)]]);
  for (const word of ['free memory', 'models', 'context length', 'batch size', 'concurrency']) {
    expect(lines[0]).toContain(word);
  }
  const signal = { cause: 'signal', at: 7, signal: 'KILL' } as const;
  expect(await reportShutdownCause(signal, lifecycle, log)).toBeNull();
  expect(lines[1]).not.toContain('memory');
});

/** The reason with which an orphan without its stored request ends. */
async function endingOf(updatedAt: number, oomKilledAt: number | null): Promise<string> {
  const ends: string[] = [];
  const task = {
    id: 't1',
    plan: [],
    deadlineAt: 9e15,
    cancelRequested: null,
    takeovers: 0,
    updatedAt,
  } as unknown as TaskRecord;
  const deps = {
    store: {
      queue: { orphans: async () => [task] },
      tasks: { requestBody: async () => null, forgetExpiredKeys: async () => 0 },
      processes: { heartbeat: async () => undefined },
    },
    runs: { get: () => undefined },
    catalogue: { find: () => undefined, virtual: () => undefined },
    watch: { look: async () => undefined },
    dispatcher: { startOverdue: async () => undefined },
    settlements: {
      retryEndings: async () => undefined,
      endOrphan: async (_id: string, ending: { reason: string; failure: { code: string } }) => {
        expect(ending.failure.code).toBe(ending.reason);
        ends.push(ending.reason);
        return true;
      },
    },
    log: pino({ level: 'silent' }),
    now: () => 2_000,
    oomKilledAt,
  } as unknown as RecoveryDeps;
  await new RecoverySweep(deps).pass();
  return ends.join();
}

test('C3: of the tasks a restart ended, those from before the OOM kill say so', async () => {
  expect(await endingOf(999, 1_000)).toBe('system_memory_exhausted');
  expect(await endingOf(1_001, 1_000)).toBe('server_restarted');
  expect(await endingOf(999, null)).toBe('server_restarted');
});
