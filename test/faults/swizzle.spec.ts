/**
 * H5: the backend, the engine, the server itself (paused) and the database's lock are taken away one by one and given back
 * in another order, under load. `SOAI_FAULT_SEED=n` lives one seed alone.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../store/open-store';
import { backends, type Soai, startSoai } from '../harness';
import { startUpstream, type Upstream } from '../upstream';
import { startTcpProxy, type TcpProxy } from '../upstream/tcp-proxy';
import { form, report } from './form';
import { installWitness, ledgerProblems } from './ledger';
import { call, keepAsking, pacedEcho, type Call } from './load';
import { callProblems, noOpenWorkflows, quiet } from './oracles';
import { SeededRandom } from './random';
import { fast } from './settings';
import { until } from './until';

const ONE = process.env['SOAI_FAULT_SEED'];
const SEEDS = ONE === undefined ? Array.from({ length: form(1, 100) }, (_, at) => at + 1) : [Number(ONE)];
const CLIENTS = 10;
/** What may be told to a client while parts are away; what was accepted has to end all the same. */
const ENDS = [
  'engine_unavailable',
  'database_busy',
  'upstream_unavailable',
  'upstream_error',
  'upstream_stream_interrupted',
  'upstream_timeout',
  'circuit_open',
  'lease_lost',
  'client_disconnected',
];

jest.setTimeout(180_000);

let upstream: Upstream;
let backend: TcpProxy;
let soai: Soai;
const calls: Call[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.model('m').always(pacedEcho(50, 10));
  backend = await startTcpProxy({ host: '127.0.0.1', port: upstream.port });
  const settings = fast(backends({ id: 'up', url: `http://127.0.0.1:${backend.port}/v1`, models: ['m'] }), {
    MODELS: { ROUTING: { HEALTH_CHECKS: { FAILURE_THRESHOLD: 10_000 } } },
  });
  soai = await startSoai({ settings });
  await soai.stop();
  installWitness(soai.dataDir);
  await soai.ensureRunning();
});

afterAll(async () => {
  await soai.dispose();
  await backend.close();
  await upstream.close();
});

interface Part {
  readonly name: string;
  /** Takes it away; returns how to give it back. */
  take(): Promise<() => Promise<void> | void>;
}

const PARTS: readonly Part[] = [
  {
    name: 'backend',
    async take() {
      await backend.down();
      return () => backend.up();
    },
  },
  {
    name: 'engine',
    take() {
      const { child } = JSON.parse(readFileSync(join(soai.dataDir, 'run/temporal.json'), 'utf8')) as {
        child: { pid: number };
      };
      return Promise.resolve(pause(child.pid));
    },
  },
  { name: 'server', take: () => Promise.resolve(pause(soai.pid)) },
  {
    name: 'lock',
    take() {
      const other = new DatabaseSync(databaseFile(soai.dataDir));
      try {
        other.exec('PRAGMA busy_timeout = 2000; BEGIN IMMEDIATE');
      } catch {
        // The server was paused in the midst of a commit: the lock is away already.
      }
      return Promise.resolve(() => other.close());
    },
  },
];

function pause(pid: number): () => void {
  process.kill(pid, 'SIGSTOP');
  return () => {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The supervisor has replaced it meanwhile.
    }
  };
}

const some = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test.each(SEEDS)('H5, O1: seed %i', async (seed) => {
  const random = new SeededRandom(seed);
  let done = (): void => undefined;
  const asking = keepAsking(soai, 'm', CLIENTS, new Promise<void>((resolve) => (done = resolve)));
  await some(500);
  const taken: { name: string; giveBack: () => Promise<void> | void }[] = [];
  for (const { name, take } of random.shuffled(PARTS)) {
    taken.push({ name, giveBack: await take() });
    await some(200 + random.below(1_000));
  }
  for (const { giveBack } of random.shuffled(taken)) {
    await giveBack();
    await some(200 + random.below(1_000));
  }
  done();
  const asked = await asking;
  calls.push(...asked);
  await until('an answer', async () => (await call(soai, 'm', true)).outcome === 'complete', 60_000, 500);
  await quiet(soai, 60_000);
  await noOpenWorkflows(soai, 90_000);
  report(`swizzle ${seed}`, { order: taken.map(({ name }) => name).join(), calls: asked.length });
  expect(asked.filter(({ outcome }) => outcome === 'cut')).toEqual([]);
  expect(callProblems(soai.dataDir, calls, ENDS)).toEqual([]);
  expect(ledgerProblems(soai.dataDir)).toEqual([]);
});
