/** Every failure as the SDK sees it: its class, its status and all four keys of the error (contract 1; T84, T85). */
import OpenAI from 'openai';
import {
  chunk,
  cutBody,
  errorBody,
  errorEvent,
  ev,
  html,
  json,
  rateLimited,
  role,
  status,
  stream,
} from '../../upstream';
import type { Answer } from '../../upstream';
import { clientOf, HI, thrownBy, type ClientFixture } from '../fixture';

type ErrorClass = abstract new (...args: never[]) => Error;

interface Expected {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param?: string | null;
  readonly class: ErrorClass;
}

function expectRefusal(error: unknown, expected: Expected): void {
  expect(error).toBeInstanceOf(expected.class);
  const { error: body, requestID, headers } = error as InstanceType<typeof OpenAI.APIError>;
  expect(error).toMatchObject({
    status: expected.status,
    code: expected.code,
    type: expected.type,
    param: expected.param ?? null,
  });
  expect(Object.keys(body ?? {})).toEqual(expect.arrayContaining(['message', 'type', 'param', 'code']));
  expect((body as { message: string }).message).toMatch(/\w/);
  expect(JSON.stringify(body)).not.toContain('None');
  expect(requestID).toMatch(/^req_/);
  expect(headers?.get('content-type')).toBe('application/json; charset=utf-8');
}

export function refusals(fixture: ClientFixture): void {
  const ask = (model: string, more: object = {}, client = clientOf(fixture)) =>
    client.chat.completions.create({ model, messages: HI, ...more } as never);

  describe('T84: what SoAI itself refuses', () => {
    const bad = { status: 400, type: 'invalid_request_error', class: OpenAI.BadRequestError };
    const faults: readonly [string, object, Partial<Expected>][] = [
      ['a wrong type', { temperature: 'hot' }, { code: 'invalid_type', param: 'temperature' }],
      ['a value out of range', { temperature: 3 }, { code: 'invalid_value', param: 'temperature' }],
      ['no messages', { messages: undefined }, { code: 'missing_required_parameter', param: 'messages' }],
      ['empty messages', { messages: [] }, { code: 'invalid_value', param: 'messages' }],
      ['a message without role', { messages: [{}] }, { code: 'missing_required_parameter', param: 'messages[0].role' }],
      ['n of 0', { n: 0 }, { code: 'invalid_value', param: 'n' }],
      ['n beyond its limit', { n: 1_000 }, { code: 'invalid_value', param: 'n' }],
      ['max_tokens beyond its limit', { max_tokens: 1e9 }, { code: 'invalid_value', param: 'max_tokens' }],
      ['tools of a wrong type', { tools: {} }, { code: 'invalid_type', param: 'tools' }],
      ['too many stops', { stop: Array.from({ length: 65 }, String) }, { code: 'invalid_value', param: 'stop' }],
      ['an unknown tier', { service_tier: 'gold' }, { code: 'invalid_value', param: 'service_tier' }],
    ];

    test.each(faults)('T84: 400: %s', async (_what, body, expected) => {
      const { name, script } = fixture.fresh();
      expectRefusal(await thrownBy(ask(name, body)), { ...bad, code: '', ...expected });
      expect(script.requests).toHaveLength(0);
    });

    test('T84: 400: no model', async () => {
      const error = await thrownBy(ask(undefined as never));
      expectRefusal(error, { ...bad, code: 'missing_required_parameter', param: 'model' });
    });

    test('T84: 400: not JSON', async () => {
      const error = await thrownBy(
        clientOf(fixture).post('/chat/completions', {
          body: new TextEncoder().encode('{"model":'),
          headers: { 'content-type': 'application/json' },
        }),
      );
      expectRefusal(error, { ...bad, code: 'invalid_json' });
    });

    test('T84: 400: an operation the model does not offer, by name', async () => {
      const error = await thrownBy(clientOf(fixture).embeddings.create({ model: 'chat-only', input: 'x' }));
      expectRefusal(error, { ...bad, code: 'no_eligible_member', param: 'model' });
      expect((error as Error).message).toContain('embeddings');
    });

    test('T84: 401: a wrong key', async () => {
      const error = await thrownBy(ask('c1', {}, clientOf(fixture, { apiKey: 'sk-soai-nonsense' })));
      expectRefusal(error, {
        status: 401,
        code: 'invalid_api_key',
        type: 'invalid_request_error',
        class: OpenAI.AuthenticationError,
      });
      expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('www-authenticate')).toBe('Bearer');
    });

    test.each([
      ['an unknown model', 'no-such-model', 'model_not_found'],
      ['a name that is a path', '../../etc/passwd', 'model_not_found'],
    ])('T84: 404: %s', async (_what, model, code) => {
      const expected = { status: 404, type: 'invalid_request_error', class: OpenAI.NotFoundError };
      expectRefusal(await thrownBy(ask(model)), { ...expected, code, param: 'model' });
    });

    test('T84: 404: an address that is not there', async () => {
      const expected = { status: 404, type: 'invalid_request_error', class: OpenAI.NotFoundError };
      expectRefusal(await thrownBy(clientOf(fixture).post('/nothing', { body: {} })), {
        ...expected,
        code: 'unknown_url',
      });
    });

    test('T84: 405: a method that is not there, with Allow', async () => {
      const error = await thrownBy(clientOf(fixture).delete('/chat/completions'));
      expectRefusal(error, {
        status: 405,
        code: 'method_not_allowed',
        type: 'invalid_request_error',
        class: OpenAI.APIError,
      });
      expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('allow')).toContain('POST');
    });

    test('T84: 415: a body that is no JSON', async () => {
      const error = await thrownBy(
        clientOf(fixture).post('/chat/completions', {
          body: new TextEncoder().encode('a=b'),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      );
      expectRefusal(error, {
        status: 415,
        code: 'unsupported_media_type',
        param: 'Content-Type',
        type: 'invalid_request_error',
        class: OpenAI.APIError,
      });
    });

    test('T84: 503: a backend that is not there', async () => {
      expectRefusal(await thrownBy(ask('unreachable')), {
        status: 503,
        code: 'upstream_unavailable',
        type: 'upstream_error',
        class: OpenAI.InternalServerError,
      });
    });
  });

  describe('T30, T85: what the backend refuses', () => {
    const upstreamError = { type: 'upstream_error', class: OpenAI.InternalServerError };
    const rejected = (code: number): Answer =>
      json({ error: { message: 'Not with me.', type: 'None', param: 'None', code: 'None' } }, { status: code });
    const refusalOf: readonly [string, Answer, Expected][] = [
      [
        '400, with its own code and type',
        json(errorBody('Too long.', 'invalid_request_error', 'context_length_exceeded'), { status: 400 }),
        { status: 400, code: 'context_length_exceeded', type: 'invalid_request_error', class: OpenAI.BadRequestError },
      ],
      [
        '404',
        rejected(404),
        { status: 404, code: 'upstream_rejected', type: 'invalid_request_error', class: OpenAI.NotFoundError },
      ],
      [
        '409',
        rejected(409),
        { status: 409, code: 'upstream_rejected', type: 'invalid_request_error', class: OpenAI.ConflictError },
      ],
      [
        '422',
        rejected(422),
        {
          status: 422,
          code: 'upstream_rejected',
          type: 'invalid_request_error',
          class: OpenAI.UnprocessableEntityError,
        },
      ],
      ["401 is the operator's", status(401), { ...upstreamError, status: 502, code: 'upstream_authentication_failed' }],
      ["403 is the operator's", status(403), { ...upstreamError, status: 502, code: 'upstream_authentication_failed' }],
      ['500', status(500), { ...upstreamError, status: 502, code: 'bad_upstream_response' }],
      ['503', status(503), { ...upstreamError, status: 502, code: 'bad_upstream_response' }],
      ['HTML', html, { ...upstreamError, status: 502, code: 'bad_upstream_response' }],
      [
        'JSON cut short',
        cutBody('{"choices":[', 500),
        { ...upstreamError, status: 502, code: 'bad_upstream_response' },
      ],
      ['an error in a 200', json(errorBody('no')), { ...upstreamError, status: 502, code: 'bad_upstream_response' }],
      [
        '429 to the end',
        rateLimited({ 'retry-after-ms': 1 }),
        { status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error', class: OpenAI.RateLimitError },
      ],
    ];

    test.each(refusalOf)('T85: %s, plain', async (_what, answer, expected) => {
      const { name, script } = fixture.fresh();
      script.always(answer);
      expectRefusal(await thrownBy(ask(name)), expected);
    });

    test.each(refusalOf.slice(0, 1).concat(refusalOf.slice(3, 7), refusalOf.slice(-1)))(
      'T85: %s, before the first byte of a stream: the same status',
      async (_what, answer, expected) => {
        const { name, script } = fixture.fresh();
        script.always(answer);
        expectRefusal(await thrownBy(ask(name, { stream: true })), expected);
      },
    );
  });

  describe('T13: what fails in the midst of a stream', () => {
    const read = async (model: string): Promise<string[]> => {
      const pieces: string[] = [];
      try {
        const chunks = await clientOf(fixture).chat.completions.create({ model, messages: HI, stream: true });
        for await (const { choices } of chunks) pieces.push(choices[0]?.delta.content ?? '');
      } catch (error) {
        pieces.push(String((error as { code?: unknown }).code));
        expect(error).toBeInstanceOf(OpenAI.APIError);
        expect(error).toMatchObject({ status: undefined, type: 'upstream_error', param: null });
      }
      return pieces;
    };
    const begun = [ev(role()), ev(chunk('a')), ev(chunk('b'))];

    test.each([
      ['a close', stream(begun, { then: 'fin' })],
      ['a reset', stream(begun, { then: 'reset' })],
      ['an end without a finish reason', stream([...begun, 'data: [DONE]\n\n'])],
      ['an error event', errorEvent(begun, errorBody('overloaded').error)],
    ])('T13: %s: the pieces, then a thrown APIError', async (_what, answer) => {
      const { name, script } = fixture.fresh();
      script.answers(answer);
      expect((await read(name)).slice(-3)).toEqual(['a', 'b', 'upstream_stream_interrupted']);
      expect(script.requests).toHaveLength(1);
    });

    test('K: an event over 4 MiB is named', async () => {
      const { name, script } = fixture.fresh();
      script.answers(stream([...begun, `data: ${'x'.repeat(4 * 1024 * 1024 + 8)}`, '\n\n']));
      expect((await read(name)).at(-1)).toBe('stream_event_too_large');
    });

    test('T13: the helper rejects too', async () => {
      const { name, script } = fixture.fresh();
      script.answers(stream(begun, { then: 'fin' }));
      const runner = clientOf(fixture).chat.completions.stream({ model: name, messages: HI });
      expect(await thrownBy(runner.finalContent())).toMatchObject({ code: 'upstream_stream_interrupted' });
    });

    test('T23: a finish reason without [DONE] is a success', async () => {
      const { name, script } = fixture.fresh();
      script.answers(
        stream([...begun, ev({ ...chunk(''), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })]),
      );
      expect((await read(name)).join('')).toBe('ab');
    });
  });
}
