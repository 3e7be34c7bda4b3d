/** What circuits and recoveries mean to requests on their way: the one probe, what queues, and who takes over. */
import {
  backends,
  type BackendSettings,
  chat,
  ended,
  merge,
  openai,
  pluginOf,
  taskDetail,
  untilPlugin,
  untilTask,
  withSoai,
} from '../harness';
import {
  chunk,
  completion,
  ev,
  halfOpen,
  hold,
  json,
  role,
  startUpstream,
  status,
  stream,
  type Upstream,
} from '../upstream';
import { FAST_RETRIES } from './settings';

const THRESHOLD = 3;
/** Long enough to ask several things while a circuit is open, short enough to wait for. */
const RECOVERY_SEC = 1.5;
/** So short that it is the circuit that keeps requests away from a member. */
const COOLDOWN_SEC = 0.01;
/** T43. */
const REQUESTS = 100;
/** T47. */
const AT_ONCE = 50;

let sick: Upstream;

beforeAll(async () => {
  sick = await startUpstream();
});
afterAll(() => sick?.close());

const virtual = (name: string, members: readonly string[], strategy = 'failover') => ({
  NAME: name,
  STRATEGY: strategy,
  MEMBERS: members,
});

const fixture = withSoai(({ url }) => {
  const at = (id: string, maxConcurrentTasks = 64): BackendSettings => ({
    id,
    url,
    maxConcurrentTasks,
    capabilities: ['chat', 'responses'],
  });
  return [
    FAST_RETRIES,
    backends(at('well'), at('back'), at('many'), at('instant', 1), at('queue', 1), { ...at('sick', 2), url: sick.url }),
    {
      MODELS: {
        ROUTING: {
          VIRTUAL_MODELS: [
            virtual('first', ['well', 'back']),
            virtual('crowd', ['well', 'many'], 'load_balancing'),
            virtual('t43', ['instant', 'well'], 'load_balancing'),
            virtual('replan', ['queue', 'well']),
            virtual('recover', ['sick', 'well']),
          ],
          HEALTH_CHECKS: {
            FAILURE_THRESHOLD: THRESHOLD,
            RECOVERY_TIMEOUT_SEC: RECOVERY_SEC,
            VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: COOLDOWN_SEC,
            INTERVAL_SEC: 0.3,
            RESTART_DELAY_SEC: 0.3,
            MAX_RECOVERY_ATTEMPTS: 1_000,
          },
        },
      },
    },
  ].reduce(merge);
});

/** A failure that no retry follows: something had been given. */
const cut = stream([ev(role()), ev(chunk('half of an'))], { then: 'reset' });
const script = (model: string) => fixture.upstream.model(model);
const idOf = (answer: Response): string => answer.headers.get('x-soai-task-id') ?? '';
const servedBy = (answer: Response): string | null => answer.headers.get('x-soai-served-by');
const errorCode = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;

async function fail(plugin: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    script(plugin).answers(cut);
    await (await chat(fixture.soai, plugin, { stream: true })).text();
  }
}

/** Opens the circuit of a plugin and waits until it may be probed. @returns the calls it has had */
async function halfOpened(plugin: string): Promise<number> {
  await fail(plugin, THRESHOLD);
  expect((await pluginOf(fixture.soai, plugin)).circuit.state).toBe('open');
  await untilPlugin(fixture.soai, plugin, ({ circuit }) => circuit.state === 'half_open');
  return script(plugin).requests.length;
}

const dropsOf = async (taskId: string): Promise<Record<string, string | null>> => {
  const { plan } = await taskDetail(fixture.soai, taskId);
  return Object.fromEntries(plan.map(({ model, dropped }) => [model, dropped]));
};

test('E, D3: a half-open member comes first for exactly one request; to the others it is circuit_probing', async () => {
  const before = await halfOpened('back');
  const answer = hold();
  script('back').answers(json(completion('I am back'), { beforeHead: answer }));
  const probe = chat(fixture.soai, 'first');
  await script('back').request(before + 1);
  for (let n = 0; n < 5; n += 1) {
    const other = await chat(fixture.soai, 'first');
    expect([other.status, servedBy(other)]).toEqual([200, 'well']);
    expect(await dropsOf(idOf(other))).toEqual({ well: null, back: 'circuit_probing' });
    await other.text();
  }
  answer.open();
  const probed = await probe;
  expect([probed.status, servedBy(probed)]).toEqual([200, 'back']);
  expect(script('back').requests.length).toBe(before + 1);
  await untilPlugin(fixture.soai, 'back', ({ circuit }) => circuit.state === 'closed' && circuit.failure_count === 0);
});

test('T47: of 50 at once exactly one reaches the half-open member while its answer takes its time', async () => {
  const before = await halfOpened('many');
  const answer = hold();
  script('many').answers(json(completion('slow'), { beforeHead: answer }));
  let settled = 0;
  const others = hold();
  const asked = Array.from({ length: AT_ONCE }, async () => {
    const reply = await chat(fixture.soai, 'crowd');
    await reply.text();
    settled += 1;
    if (settled === AT_ONCE - 1) others.open();
    return `${reply.status} ${servedBy(reply)}`;
  });
  await others.opened;
  expect(script('many').requests.length).toBe(before + 1);
  answer.open();
  const replies = await Promise.all(asked);
  expect(replies.filter((reply) => reply === '200 many')).toHaveLength(1);
  expect(replies.filter((reply) => reply === '200 well')).toHaveLength(AT_ONCE - 1);
});

test('T43: a member that fails instantly gets its threshold and its probes, and no request is lost', async () => {
  script('instant').always(status(503));
  const since = performance.now();
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const reply = await chat(fixture.soai, 't43');
      await reply.text();
      return `${reply.status} ${servedBy(reply)}`;
    }),
  );
  const probes = Math.floor((performance.now() - since) / 1_000 / RECOVERY_SEC);
  expect(new Set(replies)).toEqual(new Set(['200 well']));
  expect(script('instant').requests.length).toBeGreaterThanOrEqual(1);
  expect(script('instant').requests.length).toBeLessThanOrEqual(THRESHOLD + probes);
});

describe('work queued at a plugin whose circuit opens', () => {
  const queued = (model: string) => untilTask(fixture.soai, model, ({ state }) => state === 'queued');

  test('E: a plain request ends circuit_open, a background one parks and completes, a virtual one goes elsewhere', async () => {
    await fail('queue', THRESHOLD - 1);
    const before = script('queue').requests.length;
    const breaks = hold();
    script('queue').answers(stream([ev(role()), ev(chunk('half of an')), breaks], { then: 'reset' }));
    const last = chat(fixture.soai, 'queue', { stream: true });
    await script('queue').request(before + 1);
    const { id } = await openai(fixture.soai).responses.create({ model: 'queue', input: 'later', background: true });
    await untilTask(fixture.soai, 'queue', ({ state, background }) => background && state === 'queued');
    const plain = chat(fixture.soai, 'queue');
    await untilTask(fixture.soai, 'queue', ({ state, background, stream: streamed }) => {
      return !background && !streamed && state === 'queued';
    });
    const moving = chat(fixture.soai, 'replan');
    await queued('replan');

    breaks.open();
    await (await last).text();
    const refused = await plain;
    expect([refused.status, await errorCode(refused)]).toEqual([503, 'circuit_open']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('x-should-retry')).toBe('true');
    const moved = await moving;
    expect([moved.status, servedBy(moved)]).toEqual([200, 'well']);
    expect(await dropsOf(idOf(moved))).toEqual({ queue: 'circuit_open', well: null });

    const parked = await untilTask(fixture.soai, 'queue', ({ state }) => state === 'deferred');
    expect(parked).toMatchObject({ background: true, reason: 'circuit_open' });
    expect(script('queue').requests.length).toBe(before + 1);
    expect(await ended(fixture.soai, 'queue', parked.id)).toMatchObject({ state: 'completed', reason: null });
    expect((await openai(fixture.soai).responses.retrieve(id)).status).toBe('completed');
    expect((await pluginOf(fixture.soai, 'queue')).circuit.state).toBe('closed');
  });
});

test('F4: a recovery ends a plain request plugin_recovery and moves a virtual one that was given nothing', async () => {
  sick.model('sick').always(halfOpen);
  sick.listing.always(status(503));
  await untilPlugin(fixture.soai, 'sick', ({ recovery_attempts: attempts }) => attempts > 0);
  // Two at work and two that wait for their slots.
  const plain = [chat(fixture.soai, 'sick'), chat(fixture.soai, 'sick')];
  const moving = [chat(fixture.soai, 'recover'), chat(fixture.soai, 'recover')];
  for (const answer of await Promise.all(plain)) {
    expect([answer.status, await errorCode(answer)]).toEqual([503, 'plugin_recovery']);
    expect(await taskDetail(fixture.soai, idOf(answer))).toMatchObject({ state: 'failed', reason: 'plugin_recovery' });
  }
  for (const answer of await Promise.all(moving)) {
    expect([answer.status, servedBy(answer)]).toEqual([200, 'well']);
    expect(await dropsOf(idOf(answer))).toEqual({
      sick: expect.stringMatching(/^(tried|plugin_recovery)$/),
      well: null,
    });
  }
  sick.listing.always(null);
  // A purge says nothing of the backend's answers.
  const plugin = await untilPlugin(fixture.soai, 'sick', ({ recovery_attempts: attempts }) => attempts === 0);
  expect(plugin.circuit).toMatchObject({ state: 'closed', failure_count: 0 });
});
