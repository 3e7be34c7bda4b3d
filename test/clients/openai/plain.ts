/** Chat completions that come whole (contract 1, 2; T73, T80, T81, T82, T87). */
import { completion, json, times, usageOf } from '../../upstream';
import { get } from '../../harness';
import { clientOf, HI, MAX_BODY_BYTES, thrownBy, type ClientFixture } from '../fixture';
import OpenAI from 'openai';

const MIB = 1024 * 1024;
const choice = (index: number, content: string) => ({
  index,
  message: { role: 'assistant', content, refusal: null },
  logprobs: null,
  finish_reason: 'stop',
});

export function plainChat(fixture: ClientFixture): void {
  const create = (body: object) => clientOf(fixture).chat.completions.create({ messages: HI, ...body } as never);

  describe('I: a plain chat completion', () => {
    test('I: content, role, finish reason and the object itself', async () => {
      const { name } = fixture.fresh();
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply).toMatchObject({ object: 'chat.completion', id: expect.stringMatching(/.+/) });
      expect(Number.isInteger(reply.created)).toBe(true);
      expect(reply.choices).toMatchObject([
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'echo: hi' } },
      ]);
    });

    test("T82: it names the model that was asked for, not the backend's", async () => {
      const { name, script } = fixture.fresh();
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply.model).toBe(name);
      expect(script.requests[0]?.body).toMatchObject({ model: `up-${name}` });
    });

    test("I: usage is the backend's", async () => {
      const { name, script } = fixture.fresh();
      const usage = {
        ...usageOf(11, 7),
        prompt_tokens_details: { cached_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 3 },
      };
      script.answers(json(completion('x', usage)));
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply.usage).toEqual(usage);
    });

    test('I: several choices keep their order', async () => {
      const { name, script } = fixture.fresh();
      script.answers(json({ ...completion(''), choices: times(3, (at) => choice(at, `c${at}`)) }));
      const reply: OpenAI.ChatCompletion = await create({ model: name, n: 3 });
      expect(reply.choices.map(({ index, message }) => [index, message.content])).toEqual([
        [0, 'c0'],
        [1, 'c1'],
        [2, 'c2'],
      ]);
      expect(script.requests[0]?.body).toMatchObject({ n: 3 });
    });

    test('I: log probabilities come through', async () => {
      const { name, script } = fixture.fresh();
      const logprobs = {
        content: [{ token: 'hé', logprob: -0.25, bytes: [104, 195, 169], top_logprobs: [] }],
        refusal: null,
      };
      script.answers(json({ ...completion('hé'), choices: [{ ...choice(0, 'hé'), logprobs }] }));
      const reply: OpenAI.ChatCompletion = await create({ model: name, logprobs: true, top_logprobs: 2 });
      expect(reply.choices[0]?.logprobs).toEqual(logprobs);
      expect(script.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 2 });
    });

    test('I: a refusal comes through', async () => {
      const { name, script } = fixture.fresh();
      const message = { role: 'assistant', content: null, refusal: "I can't help with that." };
      script.answers(json({ ...completion(''), choices: [{ ...choice(0, ''), message }] }));
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply.choices[0]?.message).toEqual(message);
    });

    test.each(['length', 'content_filter', 'tool_calls'])('I: finish reason %s comes through', async (reason) => {
      const { name, script } = fixture.fresh();
      script.answers(json({ ...completion('x'), choices: [{ ...choice(0, 'x'), finish_reason: reason }] }));
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply.choices[0]?.finish_reason).toBe(reason);
    });

    test('I: text of any kind goes both ways unharmed', async () => {
      const { name } = fixture.fresh();
      const content = '안녕 🦀 \u202eשלום\u202c e\u0301 \u0000 "\\ \n\t</script> \ud83d\udc68\u200d\ud83d\udc69';
      const reply: OpenAI.ChatCompletion = await create({ model: name, messages: [{ role: 'user', content }] });
      expect(reply.choices[0]?.message.content).toBe(`echo: ${content}`);
    });

    test('I: an answer of 2 MiB comes whole', async () => {
      const { name, script } = fixture.fresh();
      const content = 'x'.repeat(2 * MIB);
      script.answers(json(completion(content)));
      const reply: OpenAI.ChatCompletion = await create({ model: name });
      expect(reply.choices[0]?.message.content?.length).toBe(content.length);
    });

    test('I: twenty at once get an answer of their own each', async () => {
      const { name } = fixture.fresh();
      const texts = times(20, (at) => `message ${at}`);
      const replies = await Promise.all(
        texts.map((content) => create({ model: name, messages: [{ role: 'user', content }] })),
      );
      expect(replies.map(({ choices }: OpenAI.ChatCompletion) => choices[0]?.message.content)).toEqual(
        texts.map((text) => `echo: ${text}`),
      );
    });
  });

  describe('contract 2: headers of a plain answer', () => {
    test('contract 2: the request id is on the object, in withResponse and in the header', async () => {
      const call = clientOf(fixture).chat.completions.create({ model: fixture.fresh().name, messages: HI });
      const { data, response, request_id } = await call.withResponse();
      const id = (data as { _request_id?: string | null })._request_id;
      expect(id).toMatch(/^req_/);
      expect(request_id).toBe(id);
      expect(response.headers.get('x-request-id')).toBe(request_id);
    });

    test('J: x-soai-task-id names the task, x-soai-served-by the model that served', async () => {
      const { name } = fixture.fresh();
      const response = await clientOf(fixture).chat.completions.create({ model: name, messages: HI }).asResponse();
      const id = response.headers.get('x-soai-task-id') ?? '';
      expect(await get(fixture.soai, `/api/v1/tasks/${id}`)).toMatchObject({
        id,
        model: name,
        operation: 'chat',
        state: 'completed',
        request_id: response.headers.get('x-request-id'),
      });
      expect(response.headers.get('x-soai-served-by')).toBe(name);
    });

    test('contract 2: JSON in UTF-8, not kept, and no rate headers where there are no limits', async () => {
      const { name } = fixture.fresh();
      const response = await clientOf(fixture).chat.completions.create({ model: name, messages: HI }).asResponse();
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect([...response.headers.keys()].filter((key) => key.startsWith('x-ratelimit'))).toEqual([]);
      expect(response.headers.get('x-should-retry')).toBeNull();
    });

    test('contract 2: a request id of the client is accepted and does not replace ours', async () => {
      const response = await clientOf(fixture)
        .chat.completions.create(
          { model: fixture.fresh().name, messages: HI },
          { headers: { 'X-Client-Request-Id': 'mine-1' } },
        )
        .asResponse();
      expect(response.status).toBe(200);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    });
  });

  describe('K: what a client sends reaches the backend', () => {
    const received = async (body: object): Promise<Record<string, unknown>> => {
      const { name, script } = fixture.fresh();
      await create({ model: name, ...body });
      const { model: _renamed, ...rest } = script.requests[0]?.body as Record<string, unknown>;
      return rest;
    };

    test('T73: content null beside tool calls stays null', async () => {
      const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
      const messages = [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: '7' },
      ];
      expect(await received({ messages })).toEqual({ messages });
    });

    test('T80: fields that SoAI does not know, and only those that were sent', async () => {
      const vendor = { enable_thinking: false, x_vendor: { a: [1], b: null }, chat_template_kwargs: {} };
      expect(await received(vendor)).toEqual({ messages: HI, ...vendor });
    });

    test('T81: max_tokens keeps its name', async () => {
      expect(await received({ max_tokens: 7 })).toEqual({ messages: HI, max_tokens: 7 });
    });

    test('T81: max_completion_tokens keeps its name', async () => {
      expect(await received({ max_completion_tokens: 9 })).toEqual({ messages: HI, max_completion_tokens: 9 });
    });

    test('K: sampling, stops, seed, user and metadata', async () => {
      const options = {
        temperature: 0,
        top_p: 0.5,
        presence_penalty: -2,
        frequency_penalty: 1.5,
        stop: ['a', '\n'],
        seed: 42,
        user: 'u1',
        logit_bias: { '50256': -100 },
        metadata: { k: 'v' },
        reasoning_effort: 'low',
        parallel_tool_calls: false,
      };
      expect(await received(options)).toEqual({ messages: HI, ...options });
    });

    test('K: nulls where the API allows them stay nulls', async () => {
      const nulls = { max_tokens: null, stop: null, temperature: null, tools: null, stream: null, n: null };
      expect(await received(nulls)).toEqual({ messages: HI, ...nulls });
    });

    test('K: every role and every kind of content part', async () => {
      const messages = [
        { role: 'developer', content: 'be brief' },
        { role: 'system', content: [{ type: 'text', text: 'a' }], name: 'sys' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          ],
        },
      ];
      expect(await received({ messages })).toEqual({ messages });
    });

    test('K: a service tier is judged and handed on', async () => {
      expect(await received({ service_tier: 'flex' })).toMatchObject({ service_tier: 'flex' });
    });

    test('T87: an image of 6 MB arrives intact', async () => {
      const url = `data:image/png;base64,${'QUJD'.repeat(1_500_000)}`;
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
      const body = (await received({ messages })) as { messages: typeof messages };
      expect(body.messages[0]?.content[0]?.image_url.url === url).toBe(true);
    });

    test('T87: over the limit it is a 413 that says so, and the backend is not asked', async () => {
      const { name, script } = fixture.fresh();
      const content = 'x'.repeat(MAX_BODY_BYTES + 1);
      const error = await thrownBy(create({ model: name, messages: [{ role: 'user', content }] }));
      expect(error).toBeInstanceOf(OpenAI.APIError);
      expect(error).toMatchObject({
        status: 413,
        code: 'request_too_large',
        type: 'invalid_request_error',
        param: null,
      });
      expect(script.requests).toHaveLength(0);
    });
  });

  describe('K: what a backend answers reaches the client', () => {
    const raw = async (text: string): Promise<string> => {
      const { name, script } = fixture.fresh();
      script.answers(json(text));
      const response = await clientOf(fixture).chat.completions.create({ model: name, messages: HI }).asResponse();
      return (await response.text()).replace(JSON.stringify(name), '"M"');
    };
    const body = (fields: string): string =>
      `{"model":"M","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],${fields}}`;

    test('T80: unknown fields, in the reply and in its message', async () => {
      const { name, script } = fixture.fresh();
      const message = { role: 'assistant', content: 'x', reasoning_content: 'because', annotations: [] };
      script.answers(
        json({ ...completion('x'), x_vendor: { a: [1] }, choices: [{ ...choice(0, 'x'), message, x: null }] }),
      );
      expect(await create({ model: name })).toMatchObject({ x_vendor: { a: [1] }, choices: [{ message, x: null }] });
    });

    test('T75: nulls, absences, number spellings and key order', async () => {
      const text = body('"usage":null,"big":12345678901234567890,"small":1.0e-10,"system_fingerprint":null');
      expect(await raw(text)).toBe(text);
    });

    test('S34: keys that mean something to JavaScript are data', async () => {
      const text = body('"__proto__":{"polluted":true},"constructor":{"a":1}');
      expect(await raw(text)).toBe(text);
    });
  });
}
