/** Each request is one workflow, started eagerly, whose history holds no word of it. */
import { Client, Connection } from '@temporalio/client';
import type { SystemInfo } from '../../api/contract/management';
import { backends, chat, get, taskDetail, withSoai } from '../harness';
import { completion, json, status } from '../upstream';
import { settings } from './settings';

const fixture = withSoai((upstream) =>
  settings(backends({ id: 'up', url: upstream.url, models: ['eager', 'retried'] })),
);

let connection: Connection;
let client: Client;

beforeAll(async () => {
  const { engine } = await get<SystemInfo>(fixture.soai, '/api/v1/system/info');
  connection = await Connection.connect({ address: engine.address });
  client = new Client({ connection, namespace: engine.namespace });
});

afterAll(() => connection.close());

async function historyOf(model: string, prompt: string) {
  const answer = await chat(fixture.soai, model, { messages: [{ role: 'user', content: prompt }] });
  expect(answer.status).toBe(200);
  const id = answer.headers.get('x-soai-task-id') ?? '';
  const { workflow } = await taskDetail(fixture.soai, id);
  expect(workflow.id).toBe(id);
  const handle = client.workflow.getHandle(workflow.id);
  await handle.result();
  return (await handle.fetchHistory()).events ?? [];
}

test('A8: the workflow was started eagerly on the queue of its own process', async () => {
  const events = await historyOf('eager', 'hi');
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  expect(started?.eagerExecutionAccepted).toBe(true);
  expect(started?.taskQueue?.name).toMatch(/^soai-process-/);
  const scheduled = events.find(({ activityTaskScheduledEventAttributes: activity }) => activity);
  expect(scheduled?.activityTaskScheduledEventAttributes?.taskQueue?.name).toBe(started?.taskQueue?.name);
});

test('A8: prompts and answers stay out of history, retries included', async () => {
  fixture.upstream
    .model('retried')
    .answers(status(500, {}, 'a secret failure text'), json(completion('a secret answer')));
  const events = await historyOf('retried', 'a secret prompt');
  const text = events.map((event) => Buffer.from(JSON.stringify(event)).toString()).join('');
  const payloads = [...text.matchAll(/"data":"([A-Za-z0-9+/=]+)"/g)].map(([, data]) =>
    Buffer.from(data ?? '', 'base64').toString(),
  );
  expect(payloads.join('')).toContain('retried');
  expect(payloads.join('') + text).not.toContain('secret');
});
