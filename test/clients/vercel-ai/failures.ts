import { APICallError, generateText, streamText } from 'ai';
import { untilTask } from '../../harness';
import { chunk, errorBody, errorEvent, ev, halfOpen, json, rateLimited, role, status, stream } from '../../upstream';
import { thrownBy, type ClientFixture } from '../fixture';
import type { Models } from './models';

const BEGUN = [ev(role()), ev(chunk('a'))];

export function aiFailures(fixture: ClientFixture, models: Models): void {
  const ask = (name: string, more: object = {}) =>
    generateText({ model: models.chat(name), prompt: 'hi', maxRetries: 0, ...more });

  /** The parts of a stream, and what its errors were. */
  async function parts(name: string): Promise<{ kinds: string[]; errors: unknown[]; text: string }> {
    const errors: unknown[] = [];
    const result = streamText({
      model: models.chat(name),
      prompt: 'hi',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    const kinds: string[] = [];
    let text = '';
    for await (const part of result.stream) {
      kinds.push(part.type);
      if (part.type === 'text-delta') text += part.text;
    }
    return { kinds, errors, text };
  }

  test.each([
    [400, 'context_length_exceeded', false, 400],
    [429, 'rate_limit_exceeded', true, 429],
    [500, 'bad_upstream_response', true, 502],
  ])("T84: a backend's %i is an APICallError with our code", async (sent, code, isRetryable, seen) => {
    const { name, script } = fixture.fresh();
    if (sent === 400) script.always(json(errorBody('Too long.', 'invalid_request_error', code), { status: 400 }));
    else script.always(sent === 429 ? rateLimited({ 'retry-after-ms': 1 }) : status(sent));
    const error = await thrownBy(ask(name));
    if (!APICallError.isInstance(error)) throw error;
    expect(error).toMatchObject({ statusCode: seen, isRetryable, data: { error: { code } } });
    expect(error.message).not.toBe('');
  });

  test('T84: an unknown model is a 404 that is not worth a retry', async () => {
    const error = await thrownBy(ask('no-such-model', { maxRetries: 2 }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 404, isRetryable: false });
  });

  test('T85: a failure before the first byte of a stream is an error part', async () => {
    const { name, script } = fixture.fresh();
    script.always(status(500));
    const { errors, text } = await parts(name);
    expect(text).toBe('');
    expect(errors).toMatchObject([{ statusCode: 502 }]);
  });

  test.each([
    ['a reset', stream(BEGUN, { then: 'reset' })],
    ['an end without a finish reason', stream([...BEGUN, 'data: [DONE]\n\n'])],
    ['an error event', errorEvent(BEGUN, errorBody('overloaded').error)],
  ])('T13: %s in mid-stream is an error part, never a whole answer', async (_what, answer) => {
    const { name, script } = fixture.fresh();
    script.answers(answer);
    const { kinds, errors, text } = await parts(name);
    expect(text).toBe('a');
    expect(kinds).toContain('error');
    expect(errors.length).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(errors.map(String)) + JSON.stringify(errors)).toMatch(
      /broke off|interrupted|finish reason|server_error/,
    );
  });

  test('T13: the text of a truncated stream is refused', async () => {
    const { name, script } = fixture.fresh();
    script.answers(stream(BEGUN, { then: 'fin' }));
    const result = streamText({ model: models.chat(name), prompt: 'hi', maxRetries: 0, onError: () => undefined });
    const reason = result.finishReason.then(String, () => 'rejected');
    expect(['error', 'rejected']).toContain(await reason);
  });

  test('A10: abort of a plain call lets the backend go', async () => {
    const { name, script } = fixture.fresh();
    script.always(halfOpen);
    const leave = new AbortController();
    const waiting = thrownBy(ask(name, { abortSignal: leave.signal }));
    await script.request(1);
    leave.abort();
    expect(String(await waiting)).toMatch(/abort/i);
    await script.closed(1);
    expect(await untilTask(fixture.soai, name, ({ state }) => state === 'cancelled')).toMatchObject({
      reason: 'client_disconnected',
    });
  });

  test('A10: abort of a stream lets the backend go', async () => {
    const { name, script } = fixture.fresh();
    script.always(stream(BEGUN, { then: 'stall' }));
    const leave = new AbortController();
    const result = streamText({
      model: models.chat(name),
      prompt: 'hi',
      abortSignal: leave.signal,
      onError: () => undefined,
    });
    const kinds: string[] = [];
    try {
      for await (const { type } of result.stream) {
        kinds.push(type);
        if (type === 'text-delta') leave.abort();
      }
    } catch (error) {
      expect(String(error)).toMatch(/abort/i);
    }
    await script.closed(1);
    expect(kinds).not.toContain('finish');
  });
}
