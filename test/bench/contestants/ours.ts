/** The direct call, bare Temporal in both forms, and SoAI. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backends } from '../../harness/settings';
import { startSoai } from '../../harness/soai';
import { launchProgram } from '../child';
import { MODEL, type Contestant } from './contestant';

const BARE = require.resolve('../bare/main');
const BUNDLER = require.resolve('../bare/bundle');

export const direct = (upstreamUrl: string, pid: number): Contestant => ({
  name: 'direct',
  url: upstreamUrl,
  headers: {},
  model: MODEL,
  pid,
  stop: () => Promise.resolve(),
});

/** One process serves both forms. */
export async function bareTemporal(upstreamUrl: string): Promise<[activity: Contestant, local: Contestant]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bare-temporal-'));
  const bundle = join(dataDir, 'workflows.js');
  await promisify(execFile)(process.execPath, [BUNDLER, bundle]);
  const child = await launchProgram(BARE, [dataDir, bundle, upstreamUrl]);
  const form = (name: string, path: string, stop: Contestant['stop']): Contestant => ({
    name,
    url: `${child.url}/${path}/v1`,
    headers: {},
    model: MODEL,
    pid: child.pid,
    stop,
  });
  const stop = async (): Promise<void> => {
    await child.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return [form('bare temporal', 'activity', stop), form('bare temporal, local', 'local', () => Promise.resolve())];
}

export async function soai(upstreamUrl: string): Promise<Contestant> {
  const backend = { id: 'upstream', url: upstreamUrl, models: [MODEL], maxConcurrentTasks: 256 };
  const product = await startSoai({ settings: backends(backend) });
  return {
    name: 'soai',
    url: `${product.url}/v1`,
    headers: { authorization: `Bearer ${product.key}` },
    model: MODEL,
    pid: product.pid,
    stop: () => product.dispose(),
  };
}
