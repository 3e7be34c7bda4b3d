/** H2, H3, C8: stopped under load, kindly and twice; nothing is lost and the marker tells which it was. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backends, type Soai, startSoai } from '../harness';
import { startUpstream, type Upstream } from '../upstream';
import { form } from './form';
import { installWitness, ledgerProblems, logBytes } from './ledger';
import { keepAsking, pacedEcho, type Call } from './load';
import { callProblems, noOpenWorkflows, quiet } from './oracles';
import { fast } from './settings';

const CLIENTS = 20;
const ROUNDS = form(1, 5);

jest.setTimeout(120_000);

let upstream: Upstream;
let soai: Soai;
const calls: Call[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  upstream.model('m').always(pacedEcho(100, 40));
  soai = await startSoai({
    settings: fast(backends({ id: 'up', url: upstream.url, models: ['m'], maxConcurrentTasks: 8 }), {
      SERVER: { SHUTDOWN_DRAIN_SEC: 1 },
    }),
  });
  await soai.stop();
  installWitness(soai.dataDir);
  await soai.ensureRunning();
});

afterAll(async () => {
  await soai.dispose();
  await upstream.close();
});

const isMarked = (): boolean => existsSync(join(soai.dataDir, 'soai_process.dirty'));

/** Clients ask until the server has ended; each of their calls. */
async function stopUnderLoad(stop: () => Promise<unknown>): Promise<readonly Call[]> {
  const before = upstream.model('m').requests.length;
  const asking = keepAsking(soai, 'm', CLIENTS, soai.exited);
  await upstream.model('m').request(before + 2 * CLIENTS, 30_000);
  await stop();
  const asked = await asking;
  calls.push(...asked);
  return asked;
}

async function nothingLost(): Promise<void> {
  await soai.ensureRunning();
  await quiet(soai, 60_000);
  await noOpenWorkflows(soai, 60_000);
  expect(callProblems(soai.dataDir, calls, ['shutting_down', 'client_disconnected'])).toEqual([]);
  expect(ledgerProblems(soai.dataDir)).toEqual([]);
}

test.each(Array.from({ length: ROUNDS }, (_, at) => at + 1))(
  'H2, C8: SIGTERM under load: answered, or told to come back; exit 0, checkpoint, no marker (round %i)',
  async () => {
    const asked = await stopUnderLoad(async () => expect(await soai.stop()).toEqual({ code: 0, signal: null }));
    expect(isMarked()).toBe(false);
    expect(logBytes(soai.dataDir)).toBe(0);
    // Only a connection that was never taken may break.
    expect(asked.filter(({ outcome, text }) => outcome === 'cut' && text !== '')).toEqual([]);
    await nothingLost();
  },
);

test.each(['SIGTERM', 'SIGINT'] as const)(
  'H3, C8: %s while it drains: ended at once, the marker stays, nothing is lost',
  async (second) => {
    await stopUnderLoad(async () => {
      const lines = soai.logs().length;
      const ending = soai.kill('SIGTERM');
      await soai.log.until('stopping', ({ msg }) => msg?.startsWith('stopping') ?? false, 5_000, lines);
      const began = performance.now();
      expect((await soai.kill(second)).code).toBe(1);
      expect(performance.now() - began).toBeLessThan(2_000);
      await ending;
    });
    expect(isMarked()).toBe(true);
    await nothingLost();
  },
);
