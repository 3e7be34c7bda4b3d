/** Two real servers on one PostgreSQL and one Temporal: the second uses the first one's. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chat, merge, type SettingsTree } from '../harness';
import { type Soai, startSoai } from '../harness/soai';
import { postgresBinaries, startPostgres, type PostgresCluster } from '../store/postgres-cluster';
import { startUpstream, type Upstream } from '../upstream';

const START_WITHIN_MS = 120_000;

export interface TwoProcesses {
  readonly upstream: Upstream;
  /** Runs Temporal, so it is the one to stay. */
  readonly first: Soai;
  readonly second: Soai;
}

const bin = postgresBinaries();

/** `describe` where PostgreSQL is installed; says so where it is not. */
export const describeCluster: typeof describe | typeof describe.skip = bin ? describe : describe.skip;

if (!bin) process.stderr.write('SKIPPED: two processes on one ledger (test/cluster): PostgreSQL is not installed\n');

export function withTwoProcesses(settings: (upstream: Upstream) => SettingsTree): TwoProcesses {
  jest.setTimeout(60_000);
  const running: { cluster?: PostgresCluster; upstream?: Upstream; first?: Soai; second?: Soai } = {};

  beforeAll(async () => {
    running.cluster = await startPostgres(bin!);
    running.upstream = await startUpstream();
    const URL = await running.cluster.createSchema();
    const shared = merge(settings(running.upstream), { DATABASE: { TYPE: 'postgres', URL } });
    running.first = await startSoai({ settings: shared });
    const ADDRESS = await temporalAddressOf(running.first);
    running.second = await startSoai({ settings: merge(shared, { TEMPORAL: { ADDRESS } }) });
  }, START_WITHIN_MS);

  afterAll(async () => {
    await running.second?.dispose();
    await running.first?.dispose();
    await running.upstream?.close();
    await running.cluster?.stop();
    expect(running.upstream?.scriptFaults ?? []).toEqual([]);
  }, START_WITHIN_MS);

  const present = <T>(value: T | undefined): T => value!;
  return {
    get upstream() {
      return present(running.upstream);
    },
    get first() {
      return present(running.first);
    },
    get second() {
      return present(running.second);
    },
  };
}

async function temporalAddressOf(soai: Soai): Promise<string> {
  const pin = JSON.parse(await readFile(join(soai.dataDir, 'temporal.json'), 'utf8')) as { ports: { grpc: number } };
  return `127.0.0.1:${pin.ports.grpc}`;
}

/** A request to this process under the other's key: one owner for both. */
export const chatAs = (soai: Soai, key: string, model: string): Promise<Response> =>
  chat(soai, model, {}, { headers: { authorization: `Bearer ${key}` } });
