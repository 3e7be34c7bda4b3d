/** Other gateways, installed into the cache on first use. Neither makes a request durable. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { cacheDir } from '../../../config/paths';
import { launchServer } from '../child';
import { MODEL, type Contestant } from './contestant';

const LITELLM = '1.108.7';
const PORTKEY = '1.15.2';
const INSTALL_WITHIN_MS = 900_000;

const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { timeout: INSTALL_WITHIN_MS });

export async function litellm(upstreamUrl: string): Promise<Contestant> {
  const venv = join(cacheDir(), 'bench', `litellm-${LITELLM}`);
  const program = join(venv, 'bin/litellm');
  if (!existsSync(program)) {
    await run('python3', '-m', 'venv', venv);
    await run(join(venv, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `litellm[proxy]==${LITELLM}`);
  }
  const dir = await mkdtemp(join(tmpdir(), 'bench-litellm-'));
  const config = join(dir, 'config.yaml');
  const params = { model: `openai/${MODEL}`, api_base: upstreamUrl, api_key: 'none' };
  await writeFile(config, stringify({ model_list: [{ model_name: MODEL, litellm_params: params }] }));
  const port = await freePort();
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
  // It does not start without one. Everybody pays for authentication here, SoAI too.
  const key = `sk-${randomUUID()}`;
  const env = { ...process.env, LITELLM_MASTER_KEY: key, LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
  const child = await launchServer(program, args, {
    env,
    healthUrl: `http://127.0.0.1:${port}/health/liveliness`,
    withinMs: 120_000,
  });
  return {
    name: `litellm ${LITELLM}`,
    url: `http://127.0.0.1:${port}/v1`,
    headers: { authorization: `Bearer ${key}` },
    model: MODEL,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function portkey(upstreamUrl: string): Promise<Contestant> {
  const dir = join(cacheDir(), 'bench', `portkey-${PORTKEY}`);
  const program = join(dir, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(program)) {
    await mkdir(dir, { recursive: true });
    await run(
      'npm',
      'install',
      '--prefix',
      dir,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      `@portkey-ai/gateway@${PORTKEY}`,
    );
  }
  const port = await freePort();
  const child = await launchServer(process.execPath, [program, '--headless', `--port=${port}`], {
    healthUrl: `http://127.0.0.1:${port}/`,
    withinMs: 60_000,
  });
  return {
    name: `portkey ${PORTKEY}`,
    url: `http://127.0.0.1:${port}/v1`,
    headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstreamUrl, authorization: 'Bearer none' },
    model: MODEL,
    pid: child.pid,
    stop: () => child.stop(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
