/** A7, F4, T62: more requests at once than anything can hold; each gets its answer or a typed refusal. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backends, merge, type Soai, startSoai } from '../harness';
import { ROOT } from '../harness/product';
import { startUpstream, times, type Upstream } from '../upstream';
import type { BurstResult } from './burst-process';
import { form, report } from './form';
import { openFiles, peakMemory } from './host';
import { ledgerProblems, reading } from './ledger';
import { pacedEcho } from './load';
import { health, noOpenWorkflows, quiet } from './oracles';

const REQUESTS = form(400, 5_000);
/** The factory's in the full form; in the short one as far below the requests. */
const QUEUE_CAPACITY = form(80, 1_024);
/** An answer's time at the backend, ms. */
const SERVICE_MS = 20;
/** O5. */
const QUIET_WITHIN_MS = 10_000;
/** The engine's own list of what runs is behind. */
const WORKFLOWS_CLOSED_WITHIN_MS = 60_000;
const PROBE_EVERY_MS = 200;
const MOST_MEMORY_MIB = 1_536;
/** What is promised of a machine that does nothing else; the short form runs beside anything. */
const ANSWERS_WITHIN_MS = form(5_000, 1_000);
const LATEST_REFUSAL_MS = form(13_000, 10_500);

jest.setTimeout(form(120_000, 900_000));

let upstream: Upstream;
let soai: Soai | null = null;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterEach(async () => {
  await soai?.dispose();
  soai = null;
});

afterAll(() => upstream.close());

async function start(plugins: readonly string[], maxConcurrentTasks: number): Promise<Soai> {
  for (const name of plugins) upstream.model(name).always(pacedEcho(SERVICE_MS, 1));
  const list = plugins.map((id) => ({ id, url: upstream.url, maxConcurrentTasks }));
  soai = await startSoai({ settings: merge(backends(...list), { MODELS: { ROUTING: { QUEUE_CAPACITY } } }) });
  return soai;
}

async function burst(server: Soai, models: readonly string[], count: number): Promise<BurstResult> {
  const words = ['-r', './test/register-typescript.cjs', join(__dirname, 'burst-process.ts')];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...words, server.url, server.key, models.join(), String(count)],
    { cwd: ROOT, maxBuffer: 64 << 20 },
  );
  return JSON.parse(stdout) as BurstResult;
}

/** Asks what a probe and an open Dashboard ask, until `over`; the time of each answer, ms. */
async function probe(server: Soai, over: Promise<unknown>): Promise<Record<string, number[]>> {
  const paths = ['/api/v1/system/health', '/', '/api/v1/queue', '/api/v1/plugins', '/api/v1/tasks?limit=20'];
  const seen: Record<string, number[]> = Object.fromEntries(paths.map((path) => [path, []]));
  let stop = false;
  const stopped = over.finally(() => (stop = true));
  const asking = paths.map(async (path) => {
    while (!stop) {
      const began = performance.now();
      const headers = {
        authorization: `Bearer ${server.key}`,
        accept: path === '/' ? 'text/html' : 'application/json',
      };
      const answer = await fetch(server.url + path, { headers });
      await answer.text();
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      seen[path]!.push(Math.round(performance.now() - began));
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
  });
  await Promise.all([...asking, stopped]);
  return seen;
}

const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * q) - 1)] ?? NaN;

/** Time from acceptance to the end of each task refused at the queue's door, ms. */
function refusalTimes(dataDir: string): number[] {
  const rows = reading(dataDir, (database) =>
    database.prepare(`SELECT finished_at - accepted_at AS ms FROM tasks WHERE reason = 'queue_full'`).all(),
  );
  return rows.map((row) => Number(row['ms']));
}

async function survives(what: string, server: Soai, models: readonly string[], count: number): Promise<void> {
  const filesBefore = openFiles(server.pid);
  const bursting = burst(server, models, count);
  const [result, probes] = await Promise.all([bursting, probe(server, bursting)]);
  const quietMs = await quiet(server, QUIET_WITHIN_MS);
  const workflowsMs = await noOpenWorkflows(server, WORKFLOWS_CLOSED_WITHIN_MS);
  const refusals = refusalTimes(server.dataDir);
  const figures = {
    ...result.fates,
    ms: result.ms,
    quiet_ms: Math.round(quietMs),
    workflows_closed_ms: Math.round(workflowsMs),
    refused_ms: [quantile(refusals, 0), quantile(refusals, 1)],
    peak_mib: peakMemory(server.pid),
    ...Object.fromEntries(
      Object.entries(probes).map(([path, ms]) => [
        path,
        { n: ms.length, p50: quantile(ms, 0.5), p99: quantile(ms, 0.99) },
      ]),
    ),
  };
  report(what, figures);

  const fates = Object.entries(result.fates);
  expect(fates.filter(([fate]) => fate !== '200' && !/^503 \w+$/.test(fate))).toEqual([]);
  expect(fates.reduce((sum, [, fate]) => sum + fate.count, 0)).toBe(count);
  expect(result.fates['200']?.count).toBeGreaterThanOrEqual(Math.min(count, QUEUE_CAPACITY));
  if (refusals.length > 0) {
    expect(quantile(refusals, 0)).toBeGreaterThanOrEqual(10_000);
    expect(quantile(refusals, 1)).toBeLessThanOrEqual(LATEST_REFUSAL_MS);
  }
  expect(peakMemory(server.pid)).toBeLessThan(MOST_MEMORY_MIB);
  for (const [path, ms] of Object.entries(probes))
    expect({ path, slow: quantile(ms, 0.99) >= ANSWERS_WITHIN_MS }).toEqual({ path, slow: false });
  expect((await health(server)).queue).toEqual({ waiting: 0, running: 0, deferred: 0 });
  // Kept-alive connections to the backends may stay: as many as ran at once.
  expect(openFiles(server.pid)).toBeLessThan(filesBefore + 100);
  await server.stop();
  const known = new Set(reading(server.dataDir, (db) => db.prepare('SELECT id FROM tasks').all()).map(({ id }) => id));
  expect(result.taskIds.filter((id) => !known.has(id))).toEqual([]);
  expect(ledgerProblems(server.dataDir)).toEqual([]);
}

test(`A7, F4: ${REQUESTS} requests at once over five plugins`, async () => {
  const plugins = times(5, (at) => `p${at}`);
  await survives('burst over five', await start(plugins, 8), plugins, REQUESTS);
});

form(test.skip, test)(`A7, F4: ${REQUESTS} requests at once over one plugin`, async () => {
  await survives('burst over one', await start(['one'], 16), ['one'], REQUESTS);
});

test(`T62: ${form(100, 2_000)} requests at once at a backend that takes eight`, async () => {
  await survives('T62', await start(['t62'], 8), ['t62'], form(100, 2_000));
});
