import { generateText, streamText } from 'ai';
import { chunk, completion, delta, DONE, ev, fin, hold, json, role, stream, usageChunk, usageOf } from '../../upstream';
import type { ClientFixture } from '../fixture';
import type { Models } from './models';

export function aiText(fixture: ClientFixture, models: Models): void {
  test('I: generateText: text, finish reason, usage, model and request id', async () => {
    const { name, script } = fixture.fresh();
    script.answers(json(completion('hello', usageOf(5, 2))));
    const { text, finishReason, usage, finalStep } = await generateText({ model: models.chat(name), prompt: 'hi' });
    expect([text, finishReason]).toEqual(['hello', 'stop']);
    expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 2, totalTokens: 7 });
    expect(finalStep.response.modelId).toBe(name);
    expect(finalStep.response.headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^req_/),
      'x-soai-served-by': name,
    });
  });

  test('I: generateText: instructions, settings and images reach the backend', async () => {
    const { name, script } = fixture.fresh();
    await generateText({
      model: models.chat(name),
      instructions: 'be brief',
      maxOutputTokens: 9,
      temperature: 0.5,
      stopSequences: ['x'],
      seed: 3,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is it?' },
            { type: 'file', data: Buffer.from('png'), mediaType: 'image/png' },
          ],
        },
      ],
    });
    const url = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
    expect(script.requests[0]?.body).toMatchObject({
      temperature: 0.5,
      ...(models.hasStops ? { stop: ['x'], seed: 3 } : {}),
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] },
      ],
    });
  });

  test('I: generateText: a finish reason of length', async () => {
    const { name, script } = fixture.fresh();
    const whole = completion('cut');
    script.answers(json({ ...whole, choices: [{ ...whole.choices[0], finish_reason: 'length' }] }));
    expect((await generateText({ model: models.chat(name), prompt: 'hi' })).finishReason).toBe('length');
  });

  test('I: a completion model', async () => {
    const { text } = await generateText({ model: models.completion(fixture.fresh().name), prompt: 'hi' });
    expect(text).toMatch(/^echo: /);
  });

  test('contract 4: streamText: the pieces, finish reason and usage', async () => {
    const { name, script } = fixture.fresh();
    script.answers(stream([role(), chunk('a'), chunk('b'), fin(), usageChunk(usageOf(4, 2))].map(ev).concat(DONE)));
    const result = streamText({ model: models.chat(name), prompt: 'hi' });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces).toEqual(['a', 'b']);
    expect(await result.finishReason).toBe('stop');
    expect(await result.usage).toMatchObject({ inputTokens: 4, outputTokens: 2 });
    expect(script.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('T07: streamText: comments in a silence are not seen', async () => {
    const { name, script } = fixture.fresh();
    const gate = hold();
    script.answers(stream([ev(role()), ev(chunk('a')), gate, ev(chunk('b')), ev(fin()), DONE]));
    const kinds: string[] = [];
    // Longer than two of the fixture's keep-alive periods.
    const opening = setTimeout(gate.open, 1_000);
    const result = streamText({ model: models.chat(name), prompt: 'hi' });
    for await (const { type } of result.stream) kinds.push(type);
    clearTimeout(opening);
    expect(await result.text).toBe('ab');
    expect(kinds).not.toContain('error');
  });

  test('T80: streamText: unknown fields of a delta do no harm', async () => {
    const { name, script } = fixture.fresh();
    script.answers(stream([role(), delta({ content: 'a', x_vendor: { y: [1] } }), fin()].map(ev).concat(DONE)));
    expect(await streamText({ model: models.chat(name), prompt: 'hi' }).text).toBe('a');
  });
}
