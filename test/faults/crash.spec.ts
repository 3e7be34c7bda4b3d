/** Faults A1 to A10: the server dies by SIGKILL at each named point under load, and nothing accepted is lost. */
import { FAULT_POINTS, type FaultPoint } from '../../activities/fault-point';
import { backends, type Soai, startSoai } from '../harness';
import { startUpstream, type Upstream } from '../upstream';
import { form, FULL, report } from './form';
import { installWitness, ledgerProblems, logBytes, openTasks } from './ledger';
import { keepAsking, pacedEcho, type Call } from './load';
import { callProblems, hitProblems, leaks, noOpenWorkflows, quiet } from './oracles';
import { SeededRandom } from './random';
import { fast } from './settings';

const CLIENTS = 20;
const ROUNDS = form(1, 5);
const CANARY = 'canary-5f1d7c';
/** Recovered requests pass the points too, so a point must be passed more often than they can. */
const BEYOND_RECOVERED = form(30, 60);
const CHUNKS_OF_AN_ANSWER = 12;
const DIES_WITHIN_MS = 30_000;
const QUIET_WITHIN_MS = 60_000;

jest.setTimeout(form(120_000, 900_000));

let upstream: Upstream;
let soai: Soai;
const random = new SeededRandom(20_261_130);
const calls: Call[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.model('m').always(pacedEcho(100, 20));
  const settings = fast(
    backends({ id: 'up', url: upstream.url, models: ['m'], maxConcurrentTasks: 14, settings: { API_KEY: CANARY } }),
  );
  soai = await startSoai({ settings });
  await soai.stop();
  installWitness(soai.dataDir);
});

afterAll(async () => {
  await soai.dispose();
  await upstream.close();
});

/** How often the point is passed before it kills. */
function nth(point: FaultPoint): number {
  if (point === 'mid-stream') return BEYOND_RECOVERED * CHUNKS_OF_AN_ANSWER + random.below(5 * CHUNKS_OF_AN_ANSWER);
  // Groups of acceptances, which no recovered request is in.
  if (point === 'in-accept-transaction') return 5 + random.below(10);
  return BEYOND_RECOVERED + random.below(CLIENTS);
}

async function dieAt(point: FaultPoint): Promise<{ recoveredMs: number; open: number; asked: number }> {
  await soai.ensureRunning({ FAULT_POINT: `${point}:${nth(point)}` });
  const recoveredMs = await quiet(soai, QUIET_WITHIN_MS);
  const overdue = setTimeout(() => void soai.kill('SIGTERM'), DIES_WITHIN_MS);
  const asked = await keepAsking(soai, 'm', CLIENTS, soai.exited);
  clearTimeout(overdue);
  expect({ point, exit: await soai.exited }).toEqual({ point, exit: { code: null, signal: 'SIGKILL' } });
  calls.push(...asked);
  return { recoveredMs, open: openTasks(soai.dataDir), asked: asked.length };
}

describe.each(FAULT_POINTS)('A1-A10, C1, C2: SIGKILL at %s', (point) => {
  test.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))('round %i', async () => {
    const seen = await dieAt(point);
    report(`crash at ${point}`, seen);
    // The short form looks at the ledger once, when all points are through.
    if (FULL) await everythingEnded();
  });
});

test('O1-O4, O6-O9: nothing is lost, ended twice, mixed, called too often, left over or leaked', async () => {
  await everythingEnded();
  expect(calls.filter(({ outcome }) => outcome === 'complete').length).toBeGreaterThan(CLIENTS);
  expect(calls.filter(({ outcome }) => outcome === 'cut').length).toBeGreaterThan(0);
  expect(leaks(soai, CANARY)).toEqual([]);
  report('crash torture', { crashes: FAULT_POINTS.length * ROUNDS, calls: calls.length });
});

async function everythingEnded(): Promise<void> {
  await soai.ensureRunning();
  await quiet(soai, QUIET_WITHIN_MS);
  await noOpenWorkflows(soai, QUIET_WITHIN_MS);
  await soai.stop();
  expect(ledgerProblems(soai.dataDir)).toEqual([]);
  expect(callProblems(soai.dataDir, calls)).toEqual([]);
  expect(hitProblems(soai.dataDir, upstream.requests)).toEqual([]);
  expect(logBytes(soai.dataDir)).toBe(0);
}
