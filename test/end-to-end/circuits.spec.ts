/** Circuits over real HTTP: when they open, what they let through, and how they close again. */
import { backends, chat, merge, pluginAction, pluginOf, untilPlugin } from '../harness';
import { startSoai, type Soai } from '../harness/soai';
import { completion, halfOpen, hold, json, startUpstream, status, times, type Upstream } from '../upstream';

const THRESHOLD = 3;
const RECOVERY_TIMEOUT_SEC = 2;
const FIRST_BYTE_SEC = 5;
const WAITING = 100;

jest.setTimeout(60_000);

let up: Upstream;
let soai: Soai;

beforeAll(async () => {
  up = await startUpstream();
  soai = await startSoai({
    settings: merge(backends({ id: 'a', url: up.url, maxConcurrentTasks: 200 }, { id: 'b', url: up.url }), {
      MODELS: {
        ROUTING: {
          RETRY: { TRANSIENT_RETRIES: 0, BASE_DELAY_SEC: 0.01 },
          TIMEOUTS: { FIRST_BYTE_SEC },
          HEALTH_CHECKS: { FAILURE_THRESHOLD: THRESHOLD, RECOVERY_TIMEOUT_SEC, INTERVAL_SEC: 0.3 },
        },
      },
    }),
  });
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await up?.close();
}, 90_000);

async function ask(model: string): Promise<{ status: number; code: string | null; ms: number }> {
  const began = Date.now();
  const answer = await chat(soai, model);
  const body = (await answer.json()) as { error?: { code: string } };
  return { status: answer.status, code: body.error?.code ?? null, ms: Date.now() - began };
}

async function open(): Promise<void> {
  up.model('a').always(status(500));
  for (let failed = 0; failed < THRESHOLD; failed += 1) await ask('a');
}

const reset = () => pluginAction(soai, 'a', 'circuit/reset');
const asked = (): number => up.model('a').requests.length;

test('E2, G1: it opens with the third failure; the fourth request is refused at once; other plugins serve on', async () => {
  await open();
  const before = asked();
  const refused = await ask('a');
  expect(refused).toMatchObject({ status: 503, code: 'circuit_open' });
  expect(asked()).toBe(before);
  expect((await ask('b')).status).toBe(200);
  expect((await pluginOf(soai, 'a')).circuit).toMatchObject({ state: 'open', failure_count: THRESHOLD });
  expect((await pluginOf(soai, 'b')).circuit.state).toBe('closed');
});

test('E5: a reset closes it and clears its history; work reaches the plugin at once', async () => {
  up.model('a').always(null);
  expect(((await (await reset()).json()) as { circuit: unknown }).circuit).toEqual({
    state: 'closed',
    failure_count: 0,
    last_failure_at: null,
    retry_at: null,
  });
  expect((await ask('a')).status).toBe(200);
});

test('E3, G4, T46, T47: half-open, one request of a hundred reaches the backend until it has answered, pings or not', async () => {
  await open();
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'half_open');
  // A ping of the guardian is no request: it neither takes the probe's token nor closes the circuit.
  await up.listing.request(up.listing.requests.length + 2);
  expect((await pluginOf(soai, 'a')).circuit.state).toBe('half_open');
  const probe = hold();
  up.model('a').always(json(completion('back'), { beforeHead: probe }));
  const before = asked();
  const codes: (string | null)[] = [];
  const allButOne = new Promise<void>((resolve) => {
    for (let asking = 0; asking < WAITING; asking += 1) {
      void ask('a').then(({ code }) => {
        codes.push(code);
        if (codes.length === WAITING - 1) resolve();
      });
    }
  });
  await allButOne;
  expect(codes).toEqual(times(WAITING - 1, () => 'circuit_open'));
  expect(asked()).toBe(before + 1);
  probe.open();
  expect((await untilPlugin(soai, 'a', (plugin) => plugin.circuit.state === 'closed')).circuit.failure_count).toBe(0);
});

test('E3, T44, G5: a probe that hangs is over at its deadline, and a later one closes the circuit', async () => {
  await open();
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'half_open');
  up.model('a').always(halfOpen);
  const hung = await ask('a');
  expect(hung.status).toBeGreaterThanOrEqual(500);
  expect(hung.ms).toBeLessThan(FIRST_BYTE_SEC * 1_000 + 5_000);
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'open');
  up.model('a').always(null);
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'half_open');
  expect((await ask('a')).status).toBe(200);
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'closed');
});

test('E4, G6: a killed process finds its open circuit closed when it starts again', async () => {
  await open();
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'open');
  await soai.kill('SIGKILL');
  await soai.ensureRunning();
  expect((await pluginOf(soai, 'a')).circuit).toMatchObject({ state: 'closed', failure_count: 0 });
});
