/** Who repeats what: the SDK's retries, waits, time-outs and aborts (contract 7, 8; A3, A9, A10, B2, B4). */
import OpenAI from 'openai';
import { ended, untilTask } from '../../harness';
import {
  chunk,
  completion,
  errorBody,
  errorEvent,
  ev,
  fin,
  halfOpen,
  hold,
  json,
  rateLimited,
  role,
  status,
  stream,
  times,
} from '../../upstream';
import { clientOf, HI, MAX_OPEN_TASKS, thrownBy, type ClientFixture } from '../fixture';

/** Long enough that only the server's word ends the wait, short enough to bound a hang. */
const PATIENCE_MS = 30_000;

/** Jest runs tests in a realm of their own, where the SDK does not know the DOMException of an abort for an error. */
const ownRealm: typeof fetch = (url, init) =>
  fetch(url, init).catch(({ name, message }: Error) => {
    throw Object.assign(new Error(message), { name });
  });

export function retries(fixture: ClientFixture): void {
  interface Sent {
    readonly retryCount: string | null;
    readonly answer: Response;
  }

  /** A client that repeats twice, and what it sent and got. `shorten` lets a case not wait whole seconds. */
  function repeating(shorten: (answer: Response) => Response = (answer) => answer) {
    const sent: Sent[] = [];
    const watching: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      sent.push({ retryCount: new Headers(init?.headers).get('x-stainless-retry-count'), answer });
      return shorten(answer);
    };
    return { client: clientOf(fixture, { maxRetries: 2, fetch: watching }), sent };
  }

  const ask = (client: OpenAI, model: string, more: object = {}, options?: OpenAI.RequestOptions) =>
    client.chat.completions.create({ model, messages: HI, ...more }, options) as Promise<OpenAI.ChatCompletion>;

  describe('B4: exactly one layer repeats', () => {
    test.each([
      ['500', status(500), 4, 502],
      ['429', rateLimited({ 'retry-after-ms': 1 }), 10, 429],
    ] as const)(
      'B4: %s: our budget is spent once, and x-should-retry: false stops the SDK',
      async (_n, answer, calls, seen) => {
        const { name, script } = fixture.fresh();
        script.always(answer);
        const { client, sent } = repeating();
        expect(await thrownBy(ask(client, name))).toMatchObject({ status: seen });
        expect(sent.map(({ answer: { headers } }) => headers.get('x-should-retry'))).toEqual(['false']);
        expect(script.requests).toHaveLength(calls);
      },
    );

    test('B4: streams too', async () => {
      const { name, script } = fixture.fresh();
      script.always(status(500));
      const { client, sent } = repeating();
      await thrownBy(ask(client, name, { stream: true }));
      expect(sent).toHaveLength(1);
      expect(script.requests).toHaveLength(4);
    });

    test.each([
      ['400', { temperature: 9 }],
      ['404', { model: 'no-such-model' }],
    ])('B3: a %s is not repeated', async (_code, more) => {
      const { client, sent } = repeating();
      await thrownBy(ask(client, fixture.fresh().name, more));
      expect(sent).toHaveLength(1);
    });

    test('T40: a 409 of the backend, which SDKs repeat by themselves, is not repeated', async () => {
      const { name, script } = fixture.fresh();
      script.always(status(409));
      const { client, sent } = repeating();
      expect(await thrownBy(ask(client, name))).toBeInstanceOf(OpenAI.ConflictError);
      expect(sent).toHaveLength(1);
      expect(script.requests).toHaveLength(1);
    });

    test('A3: a refusal from before acceptance says true and when; the SDK waits and gets through', async () => {
      const held = fixture.fresh();
      const gate = hold();
      held.script.always(json(completion('held'), { beforeHead: gate }));
      const holding = times(MAX_OPEN_TASKS, () => ask(clientOf(fixture), held.name));
      await held.script.request(MAX_OPEN_TASKS);
      const { name } = fixture.fresh();
      const { client, sent } = repeating((answer) => {
        if (answer.status !== 503) return answer;
        gate.open();
        // Retry-After says 10 s, which is asserted below; the case need not wait so long.
        const headers = new Headers(answer.headers);
        headers.set('retry-after', '1');
        return new Response(answer.body, { status: answer.status, headers });
      });
      expect((await ask(client, name)).choices[0]?.message.content).toBe('echo: hi');
      const [first, ...later] = sent;
      expect(first?.answer.headers.get('x-should-retry')).toBe('true');
      expect(first?.answer.headers.get('retry-after')).toBe('10');
      expect(later.map(({ retryCount }) => retryCount)).toEqual(times(later.length, (at) => String(at + 1)));
      expect(later.at(-1)?.answer.status).toBe(200);
      await Promise.all(holding);
    });
  });

  describe('B2: waits that a backend asks for are ours to keep', () => {
    test.each([
      ['retry-after-ms', { 'retry-after-ms': '300' }, 300],
      ['a fraction of a second', { 'retry-after': '0.3' }, 300],
      ['whole seconds', { 'retry-after': '1' }, 1_000],
    ])('B2: %s', async (_name, headers, atLeastMs) => {
      const { name, script } = fixture.fresh();
      script.answers(rateLimited(headers), json(completion('second')));
      const reply = await ask(clientOf(fixture), name);
      expect(reply.choices[0]?.message.content).toBe('second');
      const [first, second] = script.requests;
      expect((second?.receivedAt ?? 0) - (first?.receivedAt ?? 0)).toBeGreaterThanOrEqual(atLeastMs - 5);
    });

    test('T18: an error event before any text is repeated, and never seen', async () => {
      const { name, script } = fixture.fresh();
      script.answers(
        errorEvent([ev(role())], errorBody('slow', 'rate_limit_error', 'rate_limit_exceeded').error),
        stream([ev(role()), ev(chunk('good')), ev(fin())]),
      );
      const runner = clientOf(fixture).chat.completions.stream({ model: name, messages: HI });
      expect(await runner.finalContent()).toBe('good');
    });
  });

  describe('contract 7: time-outs of the client', () => {
    test('A10: the SDK gives up: its own error, the backend is let go, the task is cancelled', async () => {
      const { name, script } = fixture.fresh();
      script.always(halfOpen);
      const waiting = thrownBy(ask(clientOf(fixture, { timeout: 700, fetch: ownRealm }), name));
      await script.request(1);
      expect(await waiting).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
      await script.closed(1);
      const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
      expect(task.reason).toBe('client_disconnected');
    });

    test('K: X-Stainless-Timeout is a deadline: 504, not to be repeated', async () => {
      const { name, script } = fixture.fresh();
      script.always(halfOpen);
      const { client, sent } = repeating();
      const headers = { 'X-Stainless-Timeout': '1' };
      const error = await thrownBy(ask(client, name, {}, { headers, timeout: PATIENCE_MS }));
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status: 504, code: 'deadline_exceeded', type: 'timeout_error' });
      expect(sent).toHaveLength(1);
      await script.closed(1);
    });
  });

  describe('A10: a client that leaves', () => {
    test('A10: abort of a plain request', async () => {
      const { name, script } = fixture.fresh();
      script.always(halfOpen);
      const leave = new AbortController();
      const waiting = thrownBy(ask(clientOf(fixture), name, {}, { signal: leave.signal }));
      await script.request(1);
      leave.abort();
      expect(await waiting).toBeInstanceOf(OpenAI.APIUserAbortError);
      await script.closed(1);
      const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
      expect(task.reason).toBe('client_disconnected');
    });

    const endless = () => stream([ev(role()), ev(chunk('a'))], { then: 'stall' });

    test.each([
      ['break', (_stream: { controller: AbortController }) => true],
      ['controller.abort()', (open: { controller: AbortController }) => (open.controller.abort(), false)],
    ])('A10: %s in the midst of a stream', async (_how, leaves) => {
      const { name, script } = fixture.fresh();
      script.always(endless());
      const open = await clientOf(fixture).chat.completions.create({ model: name, messages: HI, stream: true });
      for await (const { choices } of open) {
        if (choices[0]?.delta.content === 'a' && leaves(open)) break;
      }
      await script.closed(1);
      const task = await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled');
      expect(task.reason).toBe('client_disconnected');
    });

    test('A10: abort() of the helper', async () => {
      const { name, script } = fixture.fresh();
      script.always(endless());
      const runner = clientOf(fixture).chat.completions.stream({ model: name, messages: HI });
      runner.on('content', () => runner.abort());
      expect(await thrownBy(runner.finalContent())).toBeInstanceOf(OpenAI.APIUserAbortError);
      await script.closed(1);
    });
  });

  describe('A9: Idempotency-Key', () => {
    const keyed = (model: string, key: string, more: object = {}) =>
      clientOf(fixture).chat.completions.create(
        { model, messages: HI, ...more },
        { headers: { 'Idempotency-Key': key } },
      );

    test('A9: the same key and body give the same task and answer', async () => {
      const { name, script } = fixture.fresh();
      script.answers(json(completion('once')));
      const [first, second] = [
        await keyed(name, `k-${name}`).withResponse(),
        await keyed(name, `k-${name}`).withResponse(),
      ];
      expect(second.data).toEqual(first.data);
      expect(second.response.headers.get('x-soai-task-id')).toBe(first.response.headers.get('x-soai-task-id'));
      expect(script.requests).toHaveLength(1);
    });

    test('A9: another body under the key is UnprocessableEntityError', async () => {
      const { name, script } = fixture.fresh();
      await keyed(name, `k-${name}`);
      const error = await thrownBy(keyed(name, `k-${name}`, { max_tokens: 3 }));
      expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError);
      expect(error).toMatchObject({ status: 422, code: 'idempotency_key_reused', param: 'Idempotency-Key' });
      expect(script.requests).toHaveLength(1);
    });

    test('contract 2: without a key an SDK retry is a new task: it sends none by itself', async () => {
      const { name, script } = fixture.fresh();
      await ask(clientOf(fixture), name);
      const task = await untilTask(fixture.soai, name, ({ state }) => state === 'completed');
      expect((await ended(fixture.soai, name, task.id)).state).toBe('completed');
      await ask(clientOf(fixture), name);
      expect(script.requests).toHaveLength(2);
    });
  });

  test('contract 8: a server that is not there is APIConnectionError after the retries', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 });
    expect(await thrownBy(ask(client, 'm'))).toBeInstanceOf(OpenAI.APIConnectionError);
  });
}
