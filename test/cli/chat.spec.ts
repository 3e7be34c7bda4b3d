/** `soai chat`: streams to the terminal, reads pipes, talks, stops on Ctrl-C. */
import type { ServerResponse } from 'node:http';
import { FakeApi, refuse, sse, type Answer } from './fake-api';
import { run, start } from './run';

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const MODELS = {
  data: [
    { id: 'embedder', capabilities: ['embeddings'] },
    { id: 'm1', capabilities: ['chat'] },
  ],
};
const WHOLE = { id: 'c1', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' } }] };

const apis: FakeApi[] = [];

async function chatApi(answer: Answer, models: object = MODELS) {
  const api = await FakeApi.start({ 'GET /v1/models': models, 'POST /v1/chat/completions': answer });
  apis.push(api);
  return {
    api,
    env: { SOAI_URL: api.url, SOAI_API_KEY: 'sk-test' },
    bodies: () => api.asked.flatMap(({ body }) => body ?? []),
  };
}

afterEach(async () => {
  for (const api of apis.splice(0)) await api.stop();
});

test('J: the answer streams to stdout, the model is named on stderr', async () => {
  const { env, bodies } = await chatApi(sse([': keep-alive\n', chunk('Hel'), chunk('lo '), chunk('안녕'), DONE]));
  const { code, stdout, stderr } = await run(['chat', 'Say', 'hello', '--system', 'Be brief.'], { env });
  expect([code, stdout, stderr]).toEqual([0, 'Hello 안녕\n', 'Asking m1.\n']);
  expect(bodies()).toEqual([
    {
      model: 'm1',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Say hello' },
      ],
    },
  ]);
});

test('T02: an event cut over several reads is one piece of the answer', async () => {
  const text = chunk('안녕') + DONE;
  const bytes = Buffer.from(text);
  const { env } = await chatApi((response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (at: number): void => {
      if (at === bytes.length) response.end();
      else response.write(bytes.subarray(at, at + 1), () => next(at + 1));
    };
    next(0);
  });
  expect((await run(['chat', '--model', 'm1', 'x'], { env })).stdout).toBe('안녕\n');
});

test('J: a piped prompt, and one joined with words', async () => {
  const { env, bodies } = await chatApi(sse([chunk('ok'), DONE]));
  await run(['chat', '--model', 'm1'], { env, input: 'from a pipe\n' });
  await run(['chat', '--model', 'm1', 'Describe:', '-'], { env, input: 'line 1\nline 2\n' });
  const contents = bodies().map((body) => (body as { messages: { content: string }[] }).messages[0]?.content);
  expect(contents).toEqual(['from a pipe', 'Describe: \nline 1\nline 2']);
});

test('a prompt in words does not wait for an open standard input', async () => {
  const { env } = await chatApi(sse([chunk('ok'), DONE]));
  expect((await run(['chat', '--model', 'm1', 'x'], { env, input: null })).code).toBe(0);
});

test('J: --no-stream and the JSON formats', async () => {
  const whole = await chatApi(WHOLE);
  const options = { env: whole.env };
  expect((await run(['chat', '--no-stream', 'x'], options)).stdout).toBe('Hello there\n');
  expect(JSON.parse((await run(['chat', 'x', '-o', 'json'], options)).stdout)).toEqual(WHOLE);
  expect(whole.bodies()).toEqual([
    expect.not.objectContaining({ stream: true }),
    expect.not.objectContaining({ stream: true }),
  ]);
  const streamed = await chatApi(sse([chunk('a'), chunk('b'), DONE]));
  const lines = (await run(['chat', 'x', '-o', 'jsonl'], { env: streamed.env })).stdout.trimEnd().split('\n');
  expect(lines.map((line) => `data: ${line}\n\n`)).toEqual([chunk('a'), chunk('b')]);
});

test('T13: an error in the stream keeps what was said and is exit code 1', async () => {
  const error = {
    message: 'The stream broke off.',
    type: 'upstream_error',
    param: null,
    code: 'upstream_stream_interrupted',
  };
  const { env } = await chatApi(sse([chunk('par'), `data: ${JSON.stringify({ error })}\n\n`]));
  const { code, stdout, stderr } = await run(['chat', '--model', 'm1', 'x'], { env });
  expect([code, stdout, stderr]).toEqual([1, 'par\n', 'soai: The stream broke off.\n']);
});

test('a stream without its end mark is a failure, a broken connection exit code 3', async () => {
  const cut = await chatApi(sse([chunk('par')]));
  expect(await run(['chat', '--model', 'm1', 'x'], { env: cut.env })).toMatchObject({ code: 1, stdout: 'par\n' });
  const broken = await chatApi(sse([chunk('par')], 'reset'));
  expect((await run(['chat', '--model', 'm1', 'x'], { env: broken.env })).code).toBe(3);
});

test.each([
  [403, 'model_not_allowed', 4],
  [404, 'model_not_found', 5],
  [503, 'queue_full', 1],
])('J: HTTP %d %s is exit code %d', async (status, code, exitCode) => {
  const { env } = await chatApi(refuse(status, code, 'No.'));
  expect(await run(['chat', '--model', 'm1', 'x'], { env })).toMatchObject({ code: exitCode, stdout: '' });
});

test('no model that can chat is exit code 5; an empty prompt is a usage fault', async () => {
  const { env, api } = await chatApi(WHOLE, { data: [] });
  expect((await run(['chat', 'x'], { env })).code).toBe(5);
  expect((await run(['chat'], { env, input: ' \n' })).code).toBe(2);
  expect(api.asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('S25: a terminal is not steered by an answer, a pipe gets it as it is', async () => {
  const { env } = await chatApi(sse([chunk('a\u001b[2Jb\nc'), DONE]));
  expect((await run(['chat', '--model', 'm1', 'x'], { env })).stdout).toBe('a\u001b[2Jb\nc\n');
  expect((await run(['chat', '--model', 'm1', 'x'], { env, tty: true })).stdout).toBe('a\\u001b[2Jb\nc\n');
});

test('A10: Ctrl-C stops the answer, closes the connection and is exit code 130', async () => {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const { env } = await chatApi((response: ServerResponse) => {
    sse([chunk('begun')], false)(response);
    response.once('close', closed);
  });
  const session = start(['chat', '--model', 'm1', 'x'], { env });
  await session.shown('begun');
  session.interrupt();
  expect(await session.outcome).toMatchObject({ code: 130, stdout: 'begun\n' });
  await gone;
});

describe('talking', () => {
  const CTRL_C = '\u0003';
  const CTRL_D = '\u0004';

  test('J: each line is asked with what was said before; /clear forgets; Ctrl-D leaves', async () => {
    const { env, bodies } = await chatApi(sse([chunk('answer'), DONE]));
    const session = start(['chat', '--model', 'm1', '--system', 's'], { env, input: null, tty: true });
    const said = (body: unknown) =>
      (body as { messages: { content: string }[] }).messages.map(({ content }) => content);
    for (const [line, count] of [
      ['one', 1],
      ['two', 2],
      ['/clear', 2],
      ['three', 3],
    ] as const) {
      session.stdin.write(`${line}\r`);
      await until(() => bodies().length === count);
    }
    session.stdin.write(`\r${CTRL_D}`);
    expect((await session.outcome).code).toBe(0);
    expect(bodies().map(said)).toEqual([
      ['s', 'one'],
      ['s', 'one', 'answer', 'two'],
      ['s', 'three'],
    ]);
  });

  test('Ctrl-C stops the answer and the talk goes on; at the prompt it leaves', async () => {
    let asked = 0;
    const { env, bodies } = await chatApi((response: ServerResponse) => {
      if (asked++ === 0) sse([chunk('endless')], false)(response);
      else sse([chunk('second'), DONE])(response);
    });
    const session = start(['chat', '--model', 'm1'], { env, input: null, tty: true });
    session.stdin.write('one\r');
    await session.shown('endless');
    session.stdin.write(CTRL_C);
    session.stdin.write('two\r');
    // The answer and the prompt after it: before that, Ctrl-C would stop the answer.
    await session.shown('second\n\u001b[1G');
    session.stdin.write(CTRL_C);
    expect((await session.outcome).code).toBe(0);
    expect(bodies()[1]).toMatchObject({
      messages: [{ content: 'one' }, { role: 'assistant', content: 'endless' }, { content: 'two' }],
    });
  });

  test('a failure is told and the talk goes on without that question', async () => {
    let asked = 0;
    const { env, bodies } = await chatApi((response: ServerResponse) => {
      if (asked++ === 0) refuse(503, 'queue_full', 'The queue is full.')(response);
      else sse([chunk('fine'), DONE])(response);
    });
    const session = start(['chat', '--model', 'm1'], { env, input: null, tty: true });
    session.stdin.write('one\r');
    await session.shown('The queue is full.');
    session.stdin.write('two\r');
    await session.shown('fine');
    session.stdin.write('/exit\r');
    expect((await session.outcome).code).toBe(0);
    expect(bodies()[1]).toMatchObject({ messages: [{ content: 'two' }] });
  });
});

/** Turns of the event loop, not time: what it waits for is an event of this process. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve));
}
