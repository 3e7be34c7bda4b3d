/** The oracles of a fault run, each a list of what is wrong (empty: nothing), checked from outside once all is quiet. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Health, SystemInfo } from '../../api/contract/management';
import { INFERENCE_WORKFLOW } from '../../workflows/contract';
import { get, type Soai } from '../harness';
import type { RecordedRequest } from '../upstream';
import { openTasks, tasksIn } from './ledger';
import { expectedText, type Call } from './load';
import { until } from './until';

/** Without a key and without waiting for long: what a probe sees. */
export async function health(soai: Soai): Promise<Health> {
  const answer = await fetch(`${soai.url}/api/v1/system/health`, { signal: AbortSignal.timeout(10_000) });
  return (await answer.json()) as Health;
}

/** Resolves when no task is open and nothing waits or runs; how long that took, ms. */
export function quiet(soai: Soai, withinMs: number): Promise<number> {
  return until(
    'quiet',
    async () => {
      if (openTasks(soai.dataDir) > 0) return false;
      const { queue } = await health(soai);
      return queue.waiting + queue.running + queue.deferred === 0;
    },
    withinMs,
  );
}

/**
 * O1, O3, O4: every call's task is there, ended as its client was told, and no client was given a word of another
 * answer. `ends` names the reasons, besides a good answer, that this run may have.
 */
export function callProblems(dataDir: string, calls: readonly Call[], ends: readonly string[] = []): readonly string[] {
  const tasks = new Map(tasksIn(dataDir).map((task) => [task.id, task]));
  const allowed = new Set(ends);
  const problems: string[] = [];
  for (const call of calls) {
    const expected = expectedText(call.prompt);
    const problem = (what: string): void => void problems.push(`${what}: ${JSON.stringify(call)}`);
    if (call.outcome === 'complete' ? call.text !== expected : !expected.startsWith(call.text)) problem('wrong words');
    if (call.code !== null && !allowed.has(call.code)) problem('unexpected refusal');
    if (call.taskId === null) continue;
    const task = tasks.get(call.taskId);
    if (!task) problem('lost');
    else if (call.outcome === 'complete' && task.state !== 'completed') problem(`ended ${task.state} ${task.reason}`);
  }
  for (const { id, state, reason, prompt, answer } of tasks.values()) {
    if (state === 'completed' ? answer !== expectedText(prompt) : !allowed.has(reason ?? ''))
      problems.push(`task ${id} ended ${state} ${reason} with ${answer}`);
  }
  return problems;
}

/** O8: a backend was asked once for each prompt, and once more for each takeover at most. */
export function hitProblems(dataDir: string, requests: readonly RecordedRequest[]): readonly string[] {
  const hits = new Map<string, number>();
  for (const { body } of requests) {
    const prompt = (body as { messages?: { content: string }[] } | undefined)?.messages?.at(-1)?.content ?? '';
    hits.set(prompt, (hits.get(prompt) ?? 0) + 1);
  }
  return tasksIn(dataDir)
    .filter(({ prompt, takeovers }) => (hits.get(prompt) ?? 0) > 1 + takeovers)
    .map(({ id, prompt, takeovers }) => `task ${id}: ${hits.get(prompt)} calls with ${takeovers} takeovers`);
}

/** O6: no request's workflow is left open; the engine's own list is a few seconds behind. */
export async function noOpenWorkflows(soai: Soai, withinMs: number): Promise<number> {
  const { engine } = await get<SystemInfo>(soai, '/api/v1/system/info');
  const connection = await Connection.connect({ address: engine.address });
  try {
    const client = new Client({ connection, namespace: engine.namespace });
    const query = `WorkflowType = '${INFERENCE_WORKFLOW}' AND ExecutionStatus = 'Running'`;
    return await until('no open workflow', async () => (await client.workflow.count(query)).count === 0, withinMs, 250);
  } finally {
    await connection.close();
  }
}

/** O9: files of the data directory, the server's log included, that hold a secret. */
export function leaks(soai: Soai, secret: string): readonly string[] {
  const files = readdirSync(soai.dataDir).filter((name) => /^(soai|temporal)\.db/.test(name));
  const leaking = files.filter((name) => readFileSync(join(soai.dataDir, name)).includes(secret));
  return JSON.stringify(soai.logs()).includes(secret) ? [...leaking, 'the log'] : leaking;
}
