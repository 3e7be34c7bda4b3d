/** Faults B1 to B5: the workflow engine is away, dies, forgets everything, hangs or refuses. The ledger is the truth (C6). */
import { backends, chat, type Soai, startSoai, taskDetail } from '../harness';
import { startUpstream, status, type Upstream } from '../upstream';
import { engineIs, enginePid, engineServes, isAlive, loseEngine } from './engine-process';
import { form, report } from './form';
import { installWitness, ledgerProblems, openTasks } from './ledger';
import { askTimes, call, keepAsking, pacedEcho } from './load';
import { callProblems, health, hitProblems, noOpenWorkflows, quiet } from './oracles';
import { fast } from './settings';
import { until } from './until';

const CLIENTS = 20;
const REQUESTS = form(100, 1_000);
/** How long the killed engine is kept away in turn, seconds. */
const AWAY_SEC = form([0], [0, 5, 60, 300]);
const QUIET_WITHIN_MS = 120_000;
/** What a synchronous request may be told while there is no engine. */
const WITHOUT_ENGINE = ['engine_unavailable'];

jest.setTimeout(form(180_000, 1_200_000));

let upstream: Upstream;
let soai: Soai;

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.model('m').always(pacedEcho(80, 10));
  soai = await startSoai({
    settings: fast(backends({ id: 'up', url: upstream.url, models: ['m', 'retried', 'slow'], maxConcurrentTasks: 10 })),
  });
  await soai.stop();
  installWitness(soai.dataDir);
  await soai.ensureRunning();
});

afterAll(async () => {
  await soai.dispose();
  await upstream.close();
});

test.each(AWAY_SEC)('B2: the engine is killed under load and is away for %i s: nothing is lost', async (awaySec) => {
  const asking = askTimes(soai, 'm', CLIENTS, REQUESTS);
  await upstream.model('m').request(upstream.model('m').requests.length + CLIENTS);
  const killedAt = performance.now();
  process.kill(enginePid(soai), 'SIGKILL');
  // It is started again by itself; away for longer it is kept from answering.
  if (awaySec > 0) {
    await engineIs(soai, 'down');
    await until('a new engine', () => isAlive(enginePid(soai)), 60_000);
    const pid = enginePid(soai);
    process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, awaySec * 1_000));
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  }
  await engineServes(soai);
  const servedAgainMs = performance.now() - killedAt;
  const calls = await asking;
  const quietMs = await quiet(soai, QUIET_WITHIN_MS);
  await noOpenWorkflows(soai, QUIET_WITHIN_MS);
  const count = (outcome: string): number => calls.filter((each) => each.outcome === outcome).length;
  report(`engine killed, ${awaySec} s`, {
    calls: calls.length,
    complete: count('complete'),
    refused: count('refused'),
    in_band: count('in_band_error'),
    served_again_ms: Math.round(servedAgainMs),
    quiet_ms: Math.round(quietMs),
  });
  expect(calls).toHaveLength(REQUESTS);
  expect(count('cut')).toBe(0);
  expect(callProblems(soai.dataDir, calls, WITHOUT_ENGINE)).toEqual([]);
  expect(hitProblems(soai.dataDir, upstream.model('m').requests)).toEqual([]);
  expect(ledgerProblems(soai.dataDir)).toEqual([]);
  expect((await call(soai, 'm', true)).outcome).toBe('complete');
});

test('C6: while the engine is away, requests are refused within 10 s and health says why', async () => {
  const pid = enginePid(soai);
  process.kill(pid, 'SIGSTOP');
  const began = performance.now();
  await engineIs(soai, 'down', 25_000);
  expect((await health(soai)).reasons.map(({ code }) => code)).toContain('engine_unavailable');
  const refused = await chat(soai, 'm');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'engine_unavailable' } });
  expect(performance.now() - began).toBeLessThan(35_000);
  if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  await engineServes(soai);
  expect((await call(soai, 'm', false)).outcome).toBe('complete');
});

test("B3: the engine's database is deleted under load: waiting, running and backing-off tasks all end well", async () => {
  // One that waits for its next try when the engine forgets it, and one whose call outlasts the loss.
  upstream.model('retried').answers(status(429, { 'retry-after': '1' }));
  upstream.model('slow').always(pacedEcho(6_000, 1));
  const backingOff = chat(soai, 'retried');
  const running = chat(soai, 'slow');
  await upstream.model('retried').answered(1);
  await upstream.model('slow').request(1);
  const lost = new Promise<void>((resolve) => setTimeout(resolve, 3_000));
  const asking = keepAsking(soai, 'm', CLIENTS, lost);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  loseEngine(soai);
  const began = performance.now();
  await engineServes(soai);
  const calls = await asking;
  await quiet(soai, 120_000);
  report("the engine's database deleted", { all_ended_ms: Math.round(performance.now() - began), calls: calls.length });
  for (const answer of [await backingOff, await running]) {
    expect(answer.status).toBe(200);
    const { state } = await taskDetail(soai, answer.headers.get('x-soai-task-id') ?? '');
    expect(state).toBe('completed');
  }
  expect(callProblems(soai.dataDir, calls, WITHOUT_ENGINE)).toEqual([]);
  await noOpenWorkflows(soai, QUIET_WITHIN_MS);
  expect(openTasks(soai.dataDir)).toBe(0);
});
