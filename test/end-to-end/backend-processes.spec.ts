/** Programs that fail as real ones do, under the real server: each ends in its own state and reason, and nobody else notices. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import path from 'node:path';
import { backends, chat, merge, pluginAction, pluginOf, untilPlugin } from '../harness';
import { startSoai, type Soai } from '../harness/soai';
import { startUpstream, type Upstream } from '../upstream';

jest.setTimeout(60_000);

/** An OpenAI-compatible server; its second argument is what is wrong with it. */
const PROGRAM = `
const [port, wrong, dataDir, model] = process.argv.slice(1);
require('node:fs').appendFileSync(dataDir + '/starts', process.pid + '\\n');
if (wrong === 'crashes') { console.error('the weights are damaged'); process.exit(3); }
if (wrong === 'reads') require('node:fs').readFileSync(model);
if (wrong === 'allocates') {
  const held = [];
  try { for (;;) held.push(Buffer.alloc(256 * 1024 * 1024)); }
  catch (error) { console.error(error.message); process.exit(4); }
}
require('node:http').createServer((request, response) => {
  if (request.url === '/health') return response.end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [
    { index: 0, message: { role: 'assistant', content: String(process.pid) }, finish_reason: 'stop' },
  ] }));
}).listen(Number(port), '127.0.0.1');
`;

const node = (wrong: string) => ({
  COMMAND: process.execPath,
  ARGS: ['-e', PROGRAM, '{port}', wrong, '{data_dir}', '/no/such/model.gguf'],
  STOP_TIMEOUT_SEC: 0.5,
});
const command = (id: string, settings: Record<string, unknown>) => ({ ID: id, PACKAGE: 'command', SETTINGS: settings });

let good: Upstream;
let soai: Soai;
let stranger: Server;
let others: { stop(): Promise<{ served: number; failures: readonly number[] }> };

beforeAll(async () => {
  good = await startUpstream();
  stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const { port } = stranger.address() as AddressInfo;
  const remote = backends({ id: 'good', url: good.url }) as { PLUGINS: object[]; MODELS: { CATALOG: object[] } };
  const local = [
    command('crashing', node('crashes')),
    command('portless', { ...node('fine'), PORT: port }),
    command('modelless', node('reads')),
    command('programless', { ...node('fine'), COMMAND: '/no/such/program' }),
    command('memoryless', {
      ...node('allocates'),
      COMMAND: 'prlimit',
      ARGS: ['--as=3000000000', process.execPath, ...node('allocates').ARGS],
    }),
    command('fine', node('fine')),
  ];
  soai = await startSoai({
    settings: merge(
      {
        PLUGINS: [...remote.PLUGINS, ...local],
        MODELS: {
          CATALOG: [
            ...remote.MODELS.CATALOG,
            ...local.map(({ ID }) => ({ ID, PLUGIN: ID, UPSTREAM_MODEL: 'm', CAPABILITIES: ['chat'] })),
          ],
        },
      },
      {
        MODELS: {
          ROUTING: {
            RETRY: { TRANSIENT_RETRIES: 0 },
            HEALTH_CHECKS: { INTERVAL_SEC: 0.2, PING_TIMEOUT_SEC: 1.5, RESTART_DELAY_SEC: 0 },
          },
        },
      },
    ),
  });
  others = servingMeanwhile();
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await good?.close();
  stranger?.close();
}, 90_000);

function servingMeanwhile(): typeof others {
  const failures: number[] = [];
  let served = 0;
  let going = true;
  const loop = (async () => {
    while (going) {
      const answer = await chat(soai, 'good');
      if (answer.status === 200) served += 1;
      else failures.push(answer.status);
      await answer.text();
    }
  })();
  return {
    async stop() {
      going = false;
      await loop;
      return { served, failures };
    },
  };
}

async function pidThatAnswers(): Promise<number> {
  const answer = await chat(soai, 'fine');
  const body = (await answer.json()) as { choices: { message: { content: string } }[] };
  if (answer.status !== 200) throw new Error(JSON.stringify(body));
  return Number(body.choices[0]!.message.content);
}

test.each([
  ['T54: a crash loop', 'crashing', /exited with code 3: .*the weights are damaged/],
  ['T51: a stolen port', 'portless', /Port \d+ is taken/],
  ['G: a missing model file', 'modelless', /exited with code 1: .*\/no\/such\/model\.gguf/],
  ['G: a missing program', 'programless', /ENOENT/],
  ['G: too little memory by limit', 'memoryless', /exited with code 4: .*allocation failed/],
])('F3: %s ends quarantined, with its own reason', async (_name, id, reason) => {
  const answer = await chat(soai, id);
  expect(answer.status).toBeGreaterThanOrEqual(500);
  await answer.text();
  const plugin = await untilPlugin(soai, id, ({ quarantine, circuit, backend }) => {
    return quarantine.state === 'quarantined' && circuit.state === 'open' && backend.state === 'stopped';
  });
  expect(plugin.recovery_attempts).toBe(3);
  expect(plugin.quarantine.reason).toMatch(reason);
});

test('F1, F4: a hung program (SIGSTOP) is noticed by its ping, killed and started anew', async () => {
  const hung = await pidThatAnswers();
  process.kill(hung, 'SIGSTOP');
  await untilPlugin(soai, 'fine', ({ recovery_attempts: attempts }) => attempts > 0);
  await untilPlugin(soai, 'fine', ({ backend, recovery_attempts: attempts }) => {
    return backend.state === 'running' && attempts === 0;
  });
  expect(stateOf(hung)).toBeNull();
  expect(await pidThatAnswers()).not.toBe(hung);
});

test('C16: twenty stops and starts leave no zombie and no second program', async () => {
  for (let round = 0; round < 20; round += 1) expect((await pluginAction(soai, 'fine', 'restart')).status).toBe(200);
  const last = await pidThatAnswers();
  const started = readFileSync(path.join(soai.dataDir, 'plugins/fine/starts'), 'utf8').trim().split('\n').map(Number);
  expect(started.length).toBeGreaterThan(20);
  expect(started.filter((pid) => stateOf(pid) !== null)).toEqual([last]);
  expect(childrenOf(soai.pid).filter(({ state }) => state === 'Z')).toEqual([]);
});

test('F4: all the while another plugin served without a failure', async () => {
  const { served, failures } = await others.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(20);
  expect(await pluginOf(soai, 'good')).toMatchObject({ quarantine: { state: 'none' }, circuit: { state: 'closed' } });
});

/** The kernel's letter for it (Z: a zombie); null: there is no such process. */
function stateOf(pid: number): string | null {
  return statOf(pid)?.state ?? null;
}

function childrenOf(parent: number): readonly { readonly pid: number; readonly state: string }[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.flatMap((pid) => {
    const stat = statOf(pid);
    return stat?.parent === parent ? [{ pid, state: stat.state }] : [];
  });
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}
