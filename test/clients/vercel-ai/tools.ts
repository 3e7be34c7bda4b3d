import { generateText, isStepCount, NoObjectGeneratedError, Output, streamText, tool } from 'ai';
import { z } from 'zod';
import { chunk, completion, delta, DONE, ev, fin, json, role, stream } from '../../upstream';
import { thrownBy, type ClientFixture } from '../fixture';
import type { Models } from './models';

const CALL = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '{"n":21}' } };
const callsTool = () =>
  json({
    ...completion(''),
    choices: [
      { index: 0, message: { role: 'assistant', content: null, tool_calls: [CALL] }, finish_reason: 'tool_calls' },
    ],
  });
const place = z.object({ city: z.string(), celsius: z.number() });

export function aiTools(fixture: ClientFixture, models: Models): void {
  const tools = {
    double: tool({
      description: 'doubles',
      inputSchema: z.object({ n: z.number() }),
      execute: ({ n }: { n: number }) => Promise.resolve(2 * n),
    }),
  };
  const toolMessage = (body: unknown) => (body as { messages: unknown[] }).messages.at(-1);

  test('I: generateText runs a tool and goes on with its result', async () => {
    const { name, script } = fixture.fresh();
    script.answers(callsTool(), json(completion('it is 42')));
    const { text, steps } = await generateText({
      model: models.chat(name),
      prompt: 'double 21',
      tools,
      stopWhen: isStepCount(3),
    });
    expect(text).toBe('it is 42');
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[0]?.toolResults).toMatchObject([{ toolCallId: 'call_1', toolName: 'double', output: 42 }]);
    expect(script.requests[0]?.body).toMatchObject({ tools: [{ type: 'function', function: { name: 'double' } }] });
    expect(toolMessage(script.requests[1]?.body)).toMatchObject({
      role: 'tool',
      tool_call_id: 'call_1',
      content: '42',
    });
  });

  test('I: streamText runs a tool whose arguments come in pieces', async () => {
    const { name, script } = fixture.fresh();
    const part = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
    const begin = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '' } };
    script.answers(
      stream(
        [
          role(),
          part(begin),
          part({ function: { arguments: '{"n":' } }),
          part({ function: { arguments: '21}' } }),
          fin('tool_calls'),
        ]
          .map(ev)
          .concat(DONE),
      ),
      stream([role(), chunk('42'), fin()].map(ev).concat(DONE)),
    );
    const result = streamText({ model: models.chat(name), prompt: 'x', tools, stopWhen: isStepCount(3) });
    expect(await result.text).toBe('42');
    expect((await result.steps)[0]?.toolCalls).toMatchObject([{ toolName: 'double', input: { n: 21 } }]);
    expect(toolMessage(script.requests[1]?.body)).toMatchObject({ role: 'tool', content: '42' });
  });

  test('I: structured output: the schema goes out, the object comes back', async () => {
    const { name, script } = fixture.fresh();
    script.answers(json(completion('{"city":"Oslo","celsius":-3}')));
    const { output } = await generateText({
      model: models.chat(name),
      prompt: 'weather',
      output: Output.object({ schema: place }),
    });
    expect(output).toEqual({ city: 'Oslo', celsius: -3 });
    expect(script.requests[0]?.body).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  test('I: structured output, streamed: it grows to the whole', async () => {
    const { name, script } = fixture.fresh();
    const pieces = ['{"city":"Os', 'lo","celsius":', '7}'];
    script.answers(stream([role(), ...pieces.map((piece) => chunk(piece)), fin()].map(ev).concat(DONE)));
    const result = streamText({ model: models.chat(name), prompt: 'x', output: Output.object({ schema: place }) });
    const seen: unknown[] = [];
    for await (const partial of result.partialOutputStream) seen.push(partial);
    expect(seen.at(-1)).toEqual({ city: 'Oslo', celsius: 7 });
    expect(seen.length).toBeGreaterThan(1);
  });

  test('I: structured output that does not fit is an error of the SDK, not of ours', async () => {
    const { name, script } = fixture.fresh();
    script.answers(json(completion('not JSON')));
    const work = generateText({ model: models.chat(name), prompt: 'x', output: Output.object({ schema: place }) });
    expect(NoObjectGeneratedError.isInstance(await thrownBy(work.then(({ output }) => output)))).toBe(true);
  });
}
