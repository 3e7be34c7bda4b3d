/** What clients send: handed on unchanged when it is good, refused by name when it is not. */
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { List, Task } from '../../api/contract/management';
import { backends, chat, get, post, withSoai } from '../harness';
import { gzipOfZeros, type RecordedRequest } from '../upstream';
import { settings } from './settings';

const MAX_BODY_BYTES = 8_000_000;
const MIB = 1024 * 1024;
const fixture = withSoai((upstream) =>
  settings(backends({ id: 'up', url: upstream.url, models: ['t73', 't80', 't81', 't87', 'never'] }), {
    SERVER: { MAX_BODY_BYTES },
  }),
);

async function forwarded(model: string, body: Record<string, unknown>): Promise<RecordedRequest> {
  const answer = await chat(fixture.soai, model, body);
  expect(answer.status).toBe(200);
  return fixture.upstream.model(model).request(1);
}

/** fetch tells of an answer only when it has sent all; this tells when it came. */
function answerWhileSending(body: string | Uint8Array): Promise<{ status: number | undefined; afterMs: number }> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const headers = {
      authorization: `Bearer ${fixture.soai.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sending = request(`${fixture.soai.url}/v1/chat/completions`, { method: 'POST', headers, agent: false });
    sending.once('error', reject).once('response', (answer) => {
      resolve({ status: answer.statusCode, afterMs: performance.now() - start });
      sending.destroy();
    });
    sending.end(body);
  });
}

test('T73: content null beside tool calls stays null', async () => {
  const messages = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '1' },
  ];
  const { body } = await forwarded('t73', { messages });
  expect(body).toMatchObject({ messages });
  expect((body as { messages: object[] }).messages).toStrictEqual(messages);
});

test('T80: unknown fields travel to the backend, numbers and order included', async () => {
  const more = { enable_thinking: false, x_vendor: { a: [1, null, 1.5e-7], b: {} } };
  const { raw } = await forwarded('t80', more);
  expect(raw.toString()).toContain(JSON.stringify(more).slice(1, -1));
});

test('T81: max_tokens keeps its name', async () => {
  const { body } = await forwarded('t81', { max_tokens: 7 });
  expect(body).toMatchObject({ max_tokens: 7 });
  expect(body).not.toHaveProperty('max_completion_tokens');
});

test('T87: a 6 MB image arrives intact', async () => {
  const url = `data:image/png;base64,${'A'.repeat(6_000_000)}`;
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
  const { body } = await forwarded('t87', { messages });
  expect((body as { messages: object[] }).messages).toStrictEqual(messages);
});

test('T87: a body over the limit is a 413', async () => {
  const answer = await chat(fixture.soai, 'never', { padding: 'x'.repeat(MAX_BODY_BYTES) });
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: { code: 'request_too_large', type: 'invalid_request_error' } });
});

test('T88: a body that inflates to 2 GB is a 413, and memory stays flat', async () => {
  const resident = async () =>
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${fixture.soai.pid}/status`, 'utf8'))?.[1]) / 1024;
  const bomb = new Uint8Array(gzipOfZeros(2048 * MIB));
  const before = await resident();
  const answer = await post(fixture.soai, '/v1/chat/completions', bomb, { headers: { 'content-encoding': 'gzip' } });
  expect(answer.status).toBe(413);
  expect((await resident()) - before).toBeLessThan(100);
});

describe('nonsense is refused with a 4xx that names the parameter, at once, and nothing is stored', () => {
  const body = (more: object) =>
    JSON.stringify({ model: 'never', messages: [{ role: 'user', content: 'hi' }], ...more });
  const deep = `{"model":"never","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  /** An idle machine takes 20; this also holds for a busy one. */
  const AT_ONCE_MS = 250;
  const FASTEST_OF = 3;

  test.each<[what: string, body: string, status: number, code: string, param: string | null]>([
    ['not JSON', '{"model":', 400, 'invalid_json', null],
    ['nothing', '', 400, 'invalid_json', null],
    ['a list', '[]', 400, 'invalid_type', null],
    ['no model', '{"messages":[]}', 400, 'missing_required_parameter', 'model'],
    ['a model of the wrong type', body({ model: 7 }), 400, 'invalid_type', 'model'],
    ['an unknown model', body({ model: 'no-such' }), 404, 'model_not_found', 'model'],
    ['no messages', '{"model":"never"}', 400, 'missing_required_parameter', 'messages'],
    ['empty messages', body({ messages: [] }), 400, 'invalid_value', 'messages'],
    ['messages of the wrong type', body({ messages: 'hi' }), 400, 'invalid_type', 'messages'],
    [
      'a message without a role',
      body({ messages: [{ content: 'x' }] }),
      400,
      'missing_required_parameter',
      'messages[0].role',
    ],
    ['negative max_tokens', body({ max_tokens: -1 }), 400, 'invalid_value', 'max_tokens'],
    ['fractional max_tokens', body({ max_tokens: 1.5 }), 400, 'invalid_type', 'max_tokens'],
    ['a hot temperature', body({ temperature: 1e9 }), 400, 'invalid_value', 'temperature'],
    ['stream as text', body({ stream: 'yes' }), 400, 'invalid_type', 'stream'],
    ['stream_options without stream', body({ stream_options: {} }), 400, 'invalid_value', 'stream_options'],
  ])('%s', async (_what, text, status, code, param) => {
    const { data: before } = await get<List<Task>>(fixture.soai, '/api/v1/tasks');
    let fastest = Infinity;
    for (let i = 0; i < FASTEST_OF; i++) {
      const start = performance.now();
      const answer = await post(fixture.soai, '/v1/chat/completions', text);
      fastest = Math.min(fastest, performance.now() - start);
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ error: { code, param, type: 'invalid_request_error' } });
    }
    expect(fastest).toBeLessThan(AT_ONCE_MS);
    const { data: after } = await get<List<Task>>(fixture.soai, '/api/v1/tasks');
    expect(after).toHaveLength(before.length);
    expect(fixture.upstream.model('never').requests).toHaveLength(0);
  });

  test.each<[what: string, text: () => string | Uint8Array<ArrayBuffer>, status: number]>([
    ['100,000 levels of nesting', () => deep, 400],
    ['100 MB', () => new Uint8Array(100_000_000).fill(120), 413],
  ])('%s', async (_what, make, status) => {
    const text = make();
    let fastest = Infinity;
    for (let i = 0; i < FASTEST_OF; i++) {
      const answer = await answerWhileSending(text);
      fastest = Math.min(fastest, answer.afterMs);
      expect(answer.status).toBe(status);
    }
    expect(fastest).toBeLessThan(AT_ONCE_MS);
    expect((await get<{ status: string }>(fixture.soai, '/api/v1/system/health')).status).toBe('ok');
    expect(fixture.upstream.model('never').requests).toHaveLength(0);
  });
});
