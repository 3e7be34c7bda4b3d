/** The guardian over real HTTP: what it asks, when it recovers, when it gives up, and that others never notice. */
import { createHmac } from 'node:crypto';
import { backends, chat, merge, openai, pluginAction, pluginOf, untilPlugin } from '../harness';
import { startSoai, type Soai } from '../harness/soai';
import { completion, halfOpen, hold, json, startUpstream, status, type Upstream } from '../upstream';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver';

const INTERVAL_SEC = 0.2;
const PING_TIMEOUT_SEC = 1.5;
const WEBHOOK_SECRET = 'canary-of-the-webhook';

jest.setTimeout(60_000);

let good: Upstream;
let bad: Upstream;
let soai: Soai;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [good, bad, receiver] = await Promise.all([startUpstream(), startUpstream(), startWebhookReceiver()]);
  soai = await startSoai({
    settings: merge(backends({ id: 'good', url: good.url }, { id: 'bad', url: bad.url }), {
      WEBHOOK: { URL: receiver.url, SECRET: WEBHOOK_SECRET, RETRY_DELAY_SEC: 0.05 },
      MODELS: { ROUTING: { HEALTH_CHECKS: { INTERVAL_SEC, PING_TIMEOUT_SEC, RESTART_DELAY_SEC: 1 } } },
    }),
  });
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await Promise.all([good?.close(), bad?.close(), receiver?.close()]);
}, 90_000);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const errorOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;

/** Requests to the other plugin, one after another, until told to stop; its failures. */
function servingMeanwhile(): { stop(): Promise<{ served: number; failures: unknown[] }> } {
  const failures: unknown[] = [];
  let served = 0;
  let going = true;
  const loop = (async () => {
    while (going) {
      const answer = await chat(soai, 'good');
      if (answer.status !== 200) failures.push(answer.status);
      served += 1;
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

const listings = (upstream: Upstream): number => upstream.listing.requests.length;

test('F1, T51: a plugin that takes a second to answer a ping is well', async () => {
  bad.listing.answers(json({ object: 'list', data: [] }, { beforeHead: 1_000 }));
  const plugin = await untilPlugin(soai, 'bad', ({ last_ping_at: at }) => at !== null);
  expect(plugin).toMatchObject({ recovery_attempts: 0, flapping: false, quarantine: { state: 'none' } });
});

test('F1, T50: a plugin that is at work is not pinged', async () => {
  const busy = hold();
  good.model('good').answers(json(completion('late'), { beforeHead: busy }));
  const asked = chat(soai, 'good');
  await good.model('good').request(1);
  await pause(INTERVAL_SEC * 1_500);
  const before = listings(good);
  await pause(INTERVAL_SEC * 5_000);
  expect(listings(good)).toBe(before);
  busy.open();
  await (await asked).text();
  await good.listing.request(before + 1);
});

test('F4, G11: a recovery ends that plugin’s work with its reason, and nobody else’s', async () => {
  const others = servingMeanwhile();
  bad.listing.answers(status(503));
  bad.model('bad').answers(halfOpen);
  await untilPlugin(soai, 'bad', ({ recovery_attempts: attempts }) => attempts === 1);
  const purged = await chat(soai, 'bad');
  expect([purged.status, await errorOf(purged)]).toEqual([503, 'plugin_recovery']);
  await untilPlugin(soai, 'bad', ({ recovery_attempts: attempts }) => attempts === 0);
  const { served, failures } = await others.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
});

test('F3, G12, T54: the fourth recovery in a row is not made: stopped, tripped, quarantined; others serve on', async () => {
  const others = servingMeanwhile();
  bad.listing.always(status(503));
  const plugin = await untilPlugin(soai, 'bad', ({ quarantine, circuit }) => {
    return quarantine.state === 'quarantined' && circuit.state === 'open';
  });
  expect(plugin.recovery_attempts).toBe(3);
  expect(plugin.quarantine.reason).toMatch(/^3 recoveries in a row did not help: /);
  expect(plugin).toMatchObject({ compatibility: { state: 'compatible' }, quarantine: { since: expect.any(Number) } });
  const started = Date.now();
  const refused = await chat(soai, 'bad');
  expect(refused.status).toBe(503);
  await refused.text();
  expect(Date.now() - started).toBeLessThan(1_000);
  const asked = listings(bad);
  await pause(INTERVAL_SEC * 3_000);
  expect(listings(bad)).toBe(asked);
  expect((await others.stop()).failures).toEqual([]);
});

test('F3, E2: the webhook is told of the quarantine and of the open circuit, signed, until it listens', async () => {
  const { quarantine } = await pluginOf(soai, 'bad');
  const [quarantined, opened] = await Promise.all([
    receiver.notice(({ type }) => type === 'plugin.quarantined'),
    receiver.notice(({ type }) => type === 'circuit.opened'),
  ]);
  expect(JSON.parse(quarantined.body)).toMatchObject({
    plugin: 'bad',
    state: 'quarantined',
    reason: quarantine.reason,
    at: quarantine.since,
  });
  expect(JSON.parse(opened.body)).toMatchObject({ plugin: 'bad', state: 'open', at: expect.any(Number) });
  const [first, again] = receiver.heard;
  expect(again!.body).toBe(first!.body);
  for (const { headers, body } of receiver.heard) {
    const signed = createHmac('sha256', WEBHOOK_SECRET).update(`${String(headers['x-soai-timestamp'])}.${body}`);
    expect(headers['x-soai-signature']).toBe(`sha256=${signed.digest('hex')}`);
  }
  expect(JSON.stringify(soai.logs())).not.toContain(WEBHOOK_SECRET);
});

test('F6: a quarantine outlives a restart, which closes the circuit', async () => {
  const told = receiver.heard.length;
  await soai.restart();
  expect(await pluginOf(soai, 'bad')).toMatchObject({
    quarantine: { state: 'quarantined' },
    circuit: { state: 'closed', failure_count: 0 },
    recovery_attempts: 3,
  });
  // What the run before it told is not told anew.
  expect(receiver.heard).toHaveLength(told);
});

test('F6: resetting the circuit clears the count and leaves the quarantine', async () => {
  const answer = await pluginAction(soai, 'bad', 'circuit/reset');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ quarantine: { state: 'quarantined' }, recovery_attempts: 0 });
});

test('F6: clearing the quarantine lets the guardian look again, and the plugin serve', async () => {
  bad.listing.always(json({ object: 'list', data: [] }));
  const cleared = await soai.command<{ quarantine: unknown }>('plugin', 'quarantine', 'clear', 'bad');
  expect(cleared.quarantine).toEqual({ state: 'none', reason: null, since: null });
  const asked = Date.now();
  await untilPlugin(soai, 'bad', ({ last_ping_at: at }) => at !== null && at >= asked);
  bad.model('bad').always(null);
  const answer = await openai(soai).chat.completions.create({
    model: 'bad',
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer.model).toBe('bad');
});
