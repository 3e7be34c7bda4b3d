import { CircuitReports } from './circuit-reports';
import { closedCircuits, type Circuits, type Permit } from './circuits';

interface Told {
  readonly plugin: string;
  readonly outcome: string;
  readonly code: string | null;
}

function listening(permit: Permit = { kind: 'closed' }): { reports: CircuitReports; told: Told[]; asked: string[] } {
  const told: Told[] = [];
  const asked: string[] = [];
  const circuits: Circuits = {
    ...closedCircuits,
    permit: async (plugin) => (asked.push(plugin), permit),
    report: async (plugin, _permit, outcome, { code }) => void told.push({ plugin, outcome, code }),
  };
  return { reports: new CircuitReports(circuits), told, asked };
}

test('K: a request asks once and counts once at a plugin, with its last try there', async () => {
  const { reports, told, asked } = listening();
  for (const kind of ['transport', 'timeout'] as const) {
    await reports.permit('t', 'p');
    reports.failed('t', 'p', { kind });
  }
  await reports.leaveOthers('t', 'p');
  expect([asked, told]).toEqual([['p'], []]);
  await reports.leaveOthers('t', 'q');
  await reports.ended('t', null);
  expect(told).toEqual([{ plugin: 'p', outcome: 'failure', code: 'timeout' }]);
});

test.each([
  ['success after failures clears', { kind: 'transport' } as const, true, null, 'success'],
  ['429 is neutral', { kind: 'status', status: 429 } as const, false, null, 'neutral'],
  ['a client’s fault is neutral', { kind: 'status', status: 400 } as const, false, null, 'neutral'],
  ['our own abort is neutral', { kind: 'aborted' } as const, false, null, 'neutral'],
  [
    'a client that leaves in the backoff is neutral',
    { kind: 'transport' } as const,
    false,
    'client_disconnected',
    'neutral',
  ],
  ['a deadline in the backoff is not', { kind: 'transport' } as const, false, 'deadline_exceeded', 'failure'],
])('K, E: %s', async (_name, failure, succeeds, reason, expected) => {
  const { reports, told } = listening();
  await reports.permit('t', 'p');
  reports.failed('t', 'p', failure);
  if (succeeds) await reports.succeeded('t', 'p');
  await reports.ended('t', reason);
  expect(told.map(({ outcome }) => outcome)).toEqual([expected]);
});

test('E3: a permit without a call goes back unused; a refusal owes nothing', async () => {
  const probe = listening({ kind: 'probe', token: 'x' });
  await probe.reports.permit('t', 'p');
  await probe.reports.ended('t', null);
  expect(probe.told.map(({ outcome }) => outcome)).toEqual(['neutral']);
  const refusing = listening({ kind: 'refused', view: closedCircuits.view('p') });
  await refusing.reports.permit('t', 'p');
  await refusing.reports.ended('t', null);
  expect(refusing.told).toEqual([]);
});
