/** A plugin that comes back: its probe may take its time, and what has waited meanwhile reaches it little by little. */
import { backends, chat, merge, pluginOf, post, untilPlugin } from '../harness';
import { startSoai, type Soai } from '../harness/soai';
import {
  chunk,
  completion,
  DONE,
  ev,
  fin,
  hold,
  json,
  startUpstream,
  status,
  stream,
  times,
  type Upstream,
} from '../upstream';

const THRESHOLD = 3;
const RECOVERY_TIMEOUT_SEC = 1;
const FIRST_BYTE_SEC = 2;
const SLOTS = 16;
const QUEUED = 150;
/** How long the backend takes for an answer, ms. */
const SERVICE_MS = 200;

jest.setTimeout(60_000);

let up: Upstream;
let soai: Soai;

beforeAll(async () => {
  up = await startUpstream();
  soai = await startSoai({
    settings: merge(backends({ id: 'a', url: up.url, maxConcurrentTasks: SLOTS }), {
      MODELS: {
        ROUTING: {
          RETRY: { TRANSIENT_RETRIES: 0 },
          TIMEOUTS: { FIRST_BYTE_SEC },
          HEALTH_CHECKS: { FAILURE_THRESHOLD: THRESHOLD, RECOVERY_TIMEOUT_SEC },
        },
      },
    }),
  });
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await up?.close();
}, 90_000);

/** Resolves once the opening is in the log. */
async function open(): Promise<void> {
  const before = soai.logs().length;
  up.model('a').always(status(500));
  for (let failed = 0; failed < THRESHOLD; failed += 1) await (await chat(soai, 'a')).text();
  await soai.log.until('the circuit opened', ({ to }) => to === 'open', 10_000, before);
}

const state = async (): Promise<string> => (await pluginOf(soai, 'a')).circuit.state;
const openings = (): number => soai.logs().filter(({ to }) => to === 'open').length;

test('E3: a probe that streams for longer than a first byte may take is no hung one, and closes the circuit', async () => {
  await open();
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'half_open');
  const rest = hold();
  up.model('a').always(stream([ev(chunk('slowly')), rest, ev(fin()), DONE]));
  const probe = await chat(soai, 'a', { stream: true });
  expect(probe.status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, FIRST_BYTE_SEC * 1_000 + 300));
  expect(await state()).toBe('half_open');
  expect((await chat(soai, 'a')).status).toBe(503);
  rest.open();
  expect(await probe.text()).toContain('[DONE]');
  await untilPlugin(soai, 'a', ({ circuit }) => circuit.state === 'closed');
});

test(`F8: ${QUEUED} requests that waited for the plugin reach it in a ramp, and don't open its circuit again`, async () => {
  await open();
  const openedBefore = openings();
  let [inFlight, most, answered] = [0, 0, 0];
  const herds: number[] = [];
  const served = hold();
  up.model('a').always(async (exchange) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    // One more with each success: what is more than that is the herd that the ramp has to keep away.
    if (inFlight > answered + 1) herds.push(inFlight);
    await exchange.pause(SERVICE_MS);
    inFlight -= 1;
    answered += 1;
    if (answered === QUEUED) served.open();
    await json(completion('back'))(exchange);
  });
  const accepted = await Promise.all(
    times(QUEUED, () => post(soai, '/v1/responses', { model: 'a', input: 'x', background: true })),
  );
  expect(new Set(accepted.map((answer) => answer.status))).toEqual(new Set([200]));
  await served.opened;
  expect(herds).toEqual([]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(SLOTS);
  expect([await state(), openings() - openedBefore]).toEqual(['closed', 0]);
});
