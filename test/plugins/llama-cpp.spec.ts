import { setTimeout as delay } from 'node:timers/promises';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startTimeOf } from '../../plugins/process/identity';
import { callOf, collect, eventsOf, temporaryDirectory, textOf } from './adapter-fixture';
import { cosine } from './cosine';
import {
  modelsDir,
  loads,
  log,
  MINUTES,
  model,
  adapter,
  make,
  SLOW,
  chat,
  type ChatChunk,
  failure,
  workerPid,
  exact,
} from './llama-fixture';

describe('a real model', () => {
  let plain = '';

  test(
    "chat: one whole answer in OpenAI's shape",
    async () => {
      expect(adapter.backend.state).toBe('stopped');
      const answer = JSON.parse(textOf(await adapter.call(chat({ max_tokens: 40 })))) as {
        choices: { message: { role: string; content: string }; finish_reason: string }[];
        usage: Record<string, number>;
      };
      expect(answer).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-/),
        object: 'chat.completion',
        created: expect.any(Number),
        model,
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: expect.stringContaining('Paris') },
            finish_reason: 'stop',
          },
        ],
      });
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0, total_tokens: total } = answer.usage;
      expect(prompt).toBeGreaterThan(10);
      expect(completion).toBeGreaterThan(1);
      expect(total).toBe(prompt + completion);
      plain = answer.choices[0]?.message.content ?? '';
      expect(adapter.loadedModel).toBe(model);
      expect(adapter.backend).toEqual({ state: 'running', detail: null });
    },
    5 * MINUTES,
  );

  test(
    'contract 4: streamed, the same text, role first, one finish reason, usage last when asked for',
    async () => {
      const data = await collect(
        await adapter.call(chat({ max_tokens: 40, stream_options: { include_usage: true } }, { stream: true })),
      );
      expect(data.at(-1)).toBe('[DONE]');
      const chunks = data.slice(0, -1).map((text) => JSON.parse(text) as ChatChunk);
      expect(new Set(chunks.map((one) => [one.id, one.object, one.created, one.model].join())).size).toBe(1);
      expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
      const usage = chunks.pop();
      expect(usage?.choices).toEqual([]);
      expect(usage?.usage?.total_tokens).toBeGreaterThan(10);
      expect(chunks.every((one) => one.usage === null)).toBe(true);
      expect(chunks.map((one) => one.choices[0]?.finish_reason).filter(Boolean)).toEqual(['stop']);
      expect(chunks.map((one) => one.choices[0]?.delta.content ?? '').join('')).toBe(plain);
      expect(chunks.length).toBeGreaterThan(5);
    },
    MINUTES,
  );

  test(
    'T78: without include_usage no chunk has a usage',
    async () => {
      const data = await collect(await adapter.call(chat({ max_completion_tokens: 3 }, { stream: true })));
      const chunks = data.slice(0, -1).map((text) => JSON.parse(text) as ChatChunk);
      expect(chunks.some((one) => 'usage' in one)).toBe(false);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
    },
    MINUTES,
  );

  test(
    'stop, system messages, text parts and a seed are honoured',
    async () => {
      const messages = [
        { role: 'system', content: 'You count.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Count: one, ' },
            { type: 'text', text: 'two, three' },
          ],
        },
        { role: 'assistant', content: null },
        { role: 'user', content: 'Go on.' },
      ];
      const ask = async (body: object): Promise<string> => {
        const answer = JSON.parse(textOf(await adapter.call(chat({ messages, max_tokens: 24, ...body })))) as {
          choices: [{ message: { content: string } }];
        };
        return answer.choices[0].message.content;
      };
      const whole = await ask({});
      const word = whole.trim().split(/\s+/)[2] ?? '';
      expect(await ask({ stop: [word] })).toBe(whole.slice(0, whole.indexOf(word)));
      const seeded = { temperature: 1.2, seed: 42 };
      expect(await ask(seeded)).toBe(await ask(seeded));
    },
    2 * MINUTES,
  );

  test(
    'completions: prompts as they are',
    async () => {
      const body = { prompt: ['The capital of France is', 'One, two,'], max_tokens: 6, ...exact };
      const answer = JSON.parse(
        textOf(await adapter.call(callOf({ operation: 'completions', model, deadlines: SLOW, body }))),
      ) as {
        choices: { text: string }[];
      };
      expect(answer).toMatchObject({
        object: 'text_completion',
        model,
        choices: [{ index: 0, finish_reason: 'length' }, { index: 1 }],
      });
      expect(answer.choices[0]?.text).toContain('Paris');
      const streamed = await collect(
        await adapter.call(
          callOf({
            operation: 'completions',
            model,
            deadlines: SLOW,
            stream: true,
            body: { ...body, prompt: body.prompt[0] },
          }),
        ),
      );
      const text = streamed
        .slice(0, -1)
        .map((data) => (JSON.parse(data) as { choices: [{ text: string }] }).choices[0].text);
      expect(text.join('')).toBe(answer.choices[0]?.text);
    },
    MINUTES,
  );

  test(
    'T93: embeddings, float and base64, in order',
    async () => {
      const embed = async (format: string): Promise<{ data: { index: number; embedding: number[] | string }[] }> => {
        const body = { input: ['a cat', 'a kitten', 'stock market'], encoding_format: format };
        return JSON.parse(
          textOf(await adapter.call(callOf({ operation: 'embeddings', model, deadlines: SLOW, body }))),
        ) as never;
      };
      const floats = (await embed('float')).data;
      expect(floats.map(({ index }) => index)).toEqual([0, 1, 2]);
      const [cat, kitten, market] = floats.map(({ embedding }) => embedding as number[]) as [
        number[],
        number[],
        number[],
      ];
      expect(cat.length).toBe(576);
      expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, market));
      const base64 = (await embed('base64')).data.map(({ embedding }) => Buffer.from(embedding as string, 'base64'));
      expect(base64[2]?.readFloatLE(4 * 100)).toBeCloseTo(market[100] ?? 0, 3);
    },
    2 * MINUTES,
  );

  test(
    'T67: a cancel in mid-stream stops the model within a second',
    async () => {
      const leaving = new AbortController();
      const messages = [{ role: 'user', content: 'Tell a very long story about a dragon.' }];
      const reply = await adapter.call(chat({ messages, max_tokens: 2000 }, { stream: true, signal: leaving.signal }));
      const iterator = eventsOf(reply)[Symbol.asyncIterator]();
      for (let read = 0; read < 5; read += 1) await iterator.next();
      const started = performance.now();
      leaving.abort();
      expect(await failure(iterator.next())).toMatchObject({ kind: 'aborted' });
      // The model computes one answer at a time: the next one's first token shows that it is free.
      const next = await adapter.call(chat({ max_tokens: 1 }, { stream: true }));
      await eventsOf(next)[Symbol.asyncIterator]().next();
      expect(performance.now() - started).toBeLessThan(1000);
    },
    MINUTES,
  );

  test(
    'T69: a cancelled call that waits for its turn is never computed',
    async () => {
      const leaving = new AbortController();
      const first = adapter.call(chat({ max_tokens: 30 }));
      const waiting = adapter.call(chat({}, { signal: leaving.signal }));
      await delay(20);
      leaving.abort();
      expect(await failure(waiting)).toMatchObject({ kind: 'aborted' });
      expect(textOf(await first)).toContain('Paris');
    },
    MINUTES,
  );

  test(
    'return() stops the model, too',
    async () => {
      const reply = await adapter.call(chat({ max_tokens: 2000 }, { stream: true }));
      for await (const event of eventsOf(reply)) {
        expect(event.data).toContain('"assistant"');
        break;
      }
      expect(textOf(await adapter.call(chat({ max_tokens: 2 })))).toContain('chat.completion');
    },
    MINUTES,
  );

  test(
    'K: a model of another name is a swap, one is loaded at a time, and what each load took is told',
    async () => {
      loads.length = 0;
      expect(textOf(await adapter.call(chat({ max_tokens: 20 }, { model: 'other.gguf' })))).toContain(
        '"model":"other.gguf"',
      );
      expect(adapter.loadedModel).toBe('other.gguf');
      await Promise.all([
        adapter.call(chat({ max_tokens: 2 })),
        adapter.call(chat({ max_tokens: 2 }, { model: 'other.gguf' })),
      ]);
      expect(adapter.loadedModel).toBe('other.gguf');
      expect(loads.map(([name]) => name)).toEqual(['other.gguf', model, 'other.gguf']);
      for (const [, loadMs] of loads) expect(loadMs).toBeGreaterThan(0);
      const { VmRSS } = Object.fromEntries(
        readFileSync(`/proc/${workerPid()}/status`, 'utf8')
          .split('\n')
          .map((line) => line.split(/:\s+/) as [string, string]),
      );
      expect(Number.parseInt(VmRSS ?? '0', 10) / 1024).toBeLessThan(900);
    },
    2 * MINUTES,
  );

  test(
    'T30: an input that is too long is a 400, and the model goes on',
    async () => {
      const messages = [{ role: 'user', content: 'word '.repeat(5000) }];
      for (const call of [
        chat({ messages }),
        chat({ messages }, { stream: true }),
        callOf({ operation: 'completions', model, deadlines: SLOW, body: { prompt: 'word '.repeat(5000) } }),
        callOf({ operation: 'embeddings', model, deadlines: SLOW, body: { input: 'word '.repeat(5000) } }),
      ]) {
        const failed = await failure(adapter.call(call));
        expect(failed).toMatchObject({ kind: 'status', details: { status: 400 } });
        expect(JSON.parse(failed.details.body ?? '')).toMatchObject({
          error: { type: 'invalid_request_error', code: 'context_length_exceeded', param: expect.any(String) },
        });
      }
      expect(textOf(await adapter.call(chat({ max_tokens: 2 })))).toContain('chat.completion');
    },
    2 * MINUTES,
  );

  test(
    'a prompt that fills the context ends with length, nothing is shifted',
    async () => {
      const small = make({ CONTEXT_SIZE: 256 }, temporaryDirectory());
      try {
        const messages = [{ role: 'user', content: 'Tell a very long story about a dragon.' }];
        const answer = JSON.parse(textOf(await small.call(chat({ messages })))) as {
          choices: unknown[];
          usage: { total_tokens: number };
        };
        expect(answer.choices).toMatchObject([{ finish_reason: 'length' }]);
        expect(answer.usage.total_tokens).toBeLessThanOrEqual(256);
      } finally {
        await small.stop();
      }
    },
    2 * MINUTES,
  );

  test.each([
    ['messages', {}, 'chat'],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'x' }] }, 'chat'],
    ['temperature', { temperature: 'hot' }, 'chat'],
    ['max_tokens', { max_tokens: -1 }, 'chat'],
    ['n', { n: 2 }, 'chat'],
    ['tools', { tools: [{}] }, 'chat'],
    ['response_format.type', { response_format: { type: 'json_object' } }, 'chat'],
    ['prompt', { prompt: 7 }, 'completions'],
    ['input', { input: '' }, 'embeddings'],
  ] as const)('a request with a bad %s is a 400 that names it', async (param, fields, operation) => {
    const messages = param === 'messages' ? undefined : [{ role: 'user', content: 'x' }];
    const failed = await failure(
      adapter.call(callOf({ operation, model, deadlines: SLOW, body: { messages, ...fields } })),
    );
    expect(failed).toMatchObject({ kind: 'status', details: { status: 400 } });
    expect(JSON.parse(failed.details.body ?? '')).toMatchObject({ error: { param } });
  });

  test.each([
    '../secret.gguf',
    '/etc/passwd',
    'a/b.gguf',
    '..\\x.gguf',
    '.hidden.gguf',
    'x\0.gguf',
    'missing.gguf',
    'x'.repeat(4096),
    '',
  ])('S6: there is no model %j', async (name) => {
    const failed = await failure(adapter.call(chat({}, { model: name })));
    expect(failed).toMatchObject({ kind: 'status', details: { status: 404 } });
  });

  test(
    'T54: a file that is no model is a configuration failure, and the others go on',
    async () => {
      const file = readFileSync(path.join(modelsDir, model));
      writeFileSync(path.join(modelsDir, 'nonsense.gguf'), 'GGUF and then nonsense, more of it than a header has');
      expect(await failure(adapter.call(chat({}, { model: 'nonsense.gguf' })))).toMatchObject({
        kind: 'configuration',
      });
      expect(adapter.loadedModel).toBe(model);
      writeFileSync(path.join(modelsDir, 'cut.gguf'), file.subarray(0, file.length / 2));
      expect(await failure(adapter.call(chat({}, { model: 'cut.gguf' })))).toMatchObject({ kind: 'configuration' });
      expect(adapter.loadedModel).toBeNull();
      expect(textOf(await adapter.call(chat({ max_tokens: 2 })))).toContain('chat.completion');
    },
    MINUTES,
  );

  test(
    'discover lists the files, ping answers while the model computes',
    async () => {
      const computing = adapter.call(chat({ max_tokens: 30 }));
      await adapter.ping(AbortSignal.timeout(2000));
      await computing;
      mkdirSync(path.join(modelsDir, 'directory.gguf'), { recursive: true });
      const found = await adapter.discover(new AbortController().signal);
      expect(found.map(({ upstreamModel }) => upstreamModel)).toContain(model);
    },
    MINUTES,
  );

  test(
    'a deadline that passes is a timeout, and the model is free again',
    async () => {
      const deadlines = { ...SLOW, firstByteMs: 1 };
      expect(await failure(adapter.call(chat({ max_tokens: 500 }, { deadlines })))).toMatchObject({ kind: 'timeout' });
      expect(textOf(await adapter.call(chat({ max_tokens: 2 })))).toContain('chat.completion');
    },
    MINUTES,
  );

  test(
    "C16: the worker's death in mid-stream is a transport failure; the next call starts a new one",
    async () => {
      const reply = await adapter.call(chat({ max_tokens: 2000 }, { stream: true }));
      const pid = workerPid();
      const reading = collect(reply);
      process.kill(pid, 'SIGKILL');
      expect(await failure(reading)).toMatchObject({ kind: 'transport' });
      expect(adapter.backend.state).toBe('error');
      expect(adapter.loadedModel).toBeNull();
      expect(textOf(await adapter.call(chat({ max_tokens: 2 })))).toContain('chat.completion');
      expect(workerPid()).not.toBe(pid);
      expect(startTimeOf(pid)).toBeNull();
    },
    MINUTES,
  );

  test(
    'stop() ends the worker at once, also while it computes',
    async () => {
      const pid = workerPid();
      const computing = failure(adapter.call(chat({ max_tokens: 2000 })));
      await delay(50);
      const started = performance.now();
      await adapter.stop();
      expect(performance.now() - started).toBeLessThan(1000);
      expect(await computing).toMatchObject({ kind: 'transport' });
      expect(startTimeOf(pid)).toBeNull();
      expect(adapter.backend.state).toBe('stopped');
    },
    MINUTES,
  );

  test("its log lines are the worker's own", () => {
    expect(log).toContainEqual(expect.objectContaining({ message: expect.stringContaining('node-llama-cpp is up') }));
  });
});
