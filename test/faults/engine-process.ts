/** The embedded engine as an outsider can hurt it, and waits for what the product makes of that. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { SystemInfo } from '../../api/contract/management';
import { get, type Soai } from '../harness';
import { health } from './oracles';
import { until } from './until';

interface EngineRun {
  readonly child: { readonly pid: number };
}

export function enginePid({ dataDir }: Soai): number {
  return (JSON.parse(readFileSync(join(dataDir, 'run/temporal.json'), 'utf8')) as EngineRun).child.pid;
}

export function engineIs(soai: Soai, state: string, withinMs = 60_000): Promise<number> {
  return until(`engine ${state}`, async () => (await health(soai)).engine === state, withinMs);
}

/** Requests are taken again. */
export function engineServes(soai: Soai, withinMs = 60_000): Promise<number> {
  return until('the engine serves', async () => (await health(soai)).status === 'ok', withinMs, 200);
}

/** The engine dies, and forgets everything. */
export function loseEngine(soai: Soai): void {
  const pid = enginePid(soai);
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(soai.dataDir, `temporal.db${suffix}`), { force: true });
  process.kill(pid, 'SIGKILL');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The engine asked directly, past the product. */
export async function askEngine<T>(soai: Soai, ask: (client: Client) => Promise<T>): Promise<T> {
  const { engine } = await get<SystemInfo>(soai, '/api/v1/system/info');
  const connection = await Connection.connect({ address: engine.address });
  try {
    return await ask(new Client({ connection, namespace: engine.namespace }));
  } finally {
    await connection.close();
  }
}
