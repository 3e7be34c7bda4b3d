/** Breakers and guardians while the engine is away, and after it has forgotten everything (C6, E, F). */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { breakerWorkflowId, guardianWorkflowId, REPORT_TO_BREAKER, type BreakerReport } from '../../workflows/contract';
import type { BreakerJournal } from '../../workflows/rules/breaker-journal';
import { backends, chat, merge, pluginAction, pluginOf, post, type Soai, startSoai, taskDetail } from '../harness';
import { hold, startUpstream, status, times, type Upstream } from '../upstream';
import { askEngine, engineIs, enginePid, engineServes, isAlive, loseEngine } from './engine-process';
import { fast } from './settings';
import { until } from './until';

const THRESHOLD = 3;
const PLUGINS = ['a', 'b'];

jest.setTimeout(180_000);

let upstream: Upstream;
let soai: Soai;

beforeAll(async () => {
  upstream = await startUpstream();
  soai = await startSoai({
    settings: merge(fast(backends(...PLUGINS.map((id) => ({ id, url: upstream.url })))), {
      MODELS: {
        ROUTING: {
          RETRY: { TRANSIENT_RETRIES: 0 },
          HEALTH_CHECKS: { FAILURE_THRESHOLD: THRESHOLD, INTERVAL_SEC: 0.5, RESTART_DELAY_SEC: 0.2 },
        },
      },
    }),
  });
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await upstream?.close();
}, 90_000);

/** A report of nothing answers with what the workflow holds. Null: there is no such workflow. */
async function breakerOf(client: Client, pluginId: string): Promise<BreakerJournal | null> {
  const nothing: BreakerReport = { source: 'test', events: [] };
  try {
    return await client.workflow
      .getHandle(breakerWorkflowId(pluginId))
      .executeUpdate<BreakerJournal, [BreakerReport]>(REPORT_TO_BREAKER, { args: [nothing] });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

const breakerIs = (pluginId: string, phase: string): Promise<number> =>
  until(
    `the breaker of ${pluginId} says ${phase}`,
    () => askEngine(soai, async (client) => (await breakerOf(client, pluginId))?.state.phase === phase),
    30_000,
    250,
  );

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

test('E, C6: three failures open a circuit without the engine, and the workflow agrees once it is back', async () => {
  const failing = hold();
  upstream.model('a').always(async (exchange) => {
    await exchange.pause(failing);
    await status(500)(exchange);
  });
  const asked = times(THRESHOLD, () => chat(soai, 'a'));
  await upstream.model('a').request(THRESHOLD);
  const pid = enginePid(soai);
  process.kill(pid, 'SIGSTOP');
  try {
    failing.open();
    for (const answer of await Promise.all(asked)) expect(answer.status).toBeGreaterThanOrEqual(500);
    expect((await pluginOf(soai, 'a')).circuit).toMatchObject({ state: 'open', failure_count: THRESHOLD });
    await engineIs(soai, 'down', 25_000);
  } finally {
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  }
  await engineServes(soai);
  await breakerIs('a', 'open');
  expect((await pluginOf(soai, 'a')).circuit).toMatchObject({ state: 'open', failure_count: THRESHOLD });
});

test('C6, E5, F1: the engine forgets everything: each plugin has its workflows again, and they decide', async () => {
  loseEngine(soai);
  await engineServes(soai);
  const workflows = PLUGINS.flatMap((id) => [breakerWorkflowId(id), guardianWorkflowId(id)]);
  await until(
    'the workflows of all plugins run',
    () =>
      askEngine(soai, async (client) =>
        (await Promise.all(workflows.map((id) => isRunning(client, id)))).every(Boolean),
      ),
    30_000,
    250,
  );
  // Lost with the engine, kept by the process: what was open is open.
  await breakerIs('a', 'open');
  // A watch that the engine has forgotten can't decide: only a workflow that is there makes this known.
  const before = soai.logs().length;
  upstream.listing.answers(status(503), status(503), status(503));
  for (const found of ['unhealthy', 'recovering', 'healthy']) {
    await soai.log.until(found, ({ msg }) => msg === `the guardian found a plugin ${found}`, 30_000, before);
  }
  expect((await pluginAction(soai, 'a', 'circuit/reset')).status).toBe(200);
  await breakerIs('a', 'closed');
  upstream.model('a').always(null);
  expect((await chat(soai, 'a')).status).toBe(200);
});

test('E5: what is parked at an open circuit is tried as soon as an operator resets it, not at the end of its time', async () => {
  upstream.model('a').always(status(500));
  for (let failed = 0; failed < THRESHOLD; failed += 1) await (await chat(soai, 'a')).text();
  const accepted = await post(soai, '/v1/responses', { model: 'a', input: 'x', background: true });
  const taskId = accepted.headers.get('x-soai-task-id') ?? '';
  const taskIs = (state: string): Promise<number> =>
    until(`the task is ${state}`, async () => (await taskDetail(soai, taskId)).state === state, 30_000);
  await taskIs('deferred');
  upstream.model('a').always(null);
  expect((await pluginAction(soai, 'a', 'circuit/reset')).status).toBe(200);
  await taskIs('completed');
});
