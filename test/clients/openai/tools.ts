/** Tools, `runTools` and the parse helpers of the SDK: whole rounds through the product. */
import OpenAI from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { completion, delta, DONE, ev, fin, json, role, stream } from '../../upstream';
import { clientOf, HI, thrownBy, type ClientFixture } from '../fixture';

const weather = z.object({ city: z.string(), celsius: z.number() });
const TOOL = {
  type: 'function' as const,
  function: {
    name: 'weather',
    strict: true,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false },
  },
};

const call = (id: string, args: string, name = 'weather') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});

function answerWith(message: object, finishReason: string) {
  const whole = completion('');
  return json({
    ...whole,
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finishReason }],
  });
}

const callsTools = (...calls: readonly object[]) => answerWith({ tool_calls: calls }, 'tool_calls');
const says = (content: string, finishReason = 'stop') => answerWith({ content }, finishReason);

export function tools(fixture: ClientFixture): void {
  const chat = () => clientOf(fixture).chat.completions;
  const messagesOf = (body: unknown): Record<string, unknown>[] =>
    (body as { messages: Record<string, unknown>[] }).messages;

  describe('I: tools', () => {
    test('I: definitions and the choice go to the backend as they are, several calls come back', async () => {
      const { name, script } = fixture.fresh();
      const calls = [call('call_1', '{"city":"Oslo"}'), call('call_2', '{"city":"Rome"}')];
      script.answers(callsTools(...calls));
      const choice = { type: 'function' as const, function: { name: 'weather' } };
      const reply = await chat().create({ model: name, messages: HI, tools: [TOOL], tool_choice: choice });
      expect(reply.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
      expect(reply.choices[0]?.message.tool_calls).toEqual(calls);
      expect(script.requests[0]?.body).toMatchObject({ tools: [TOOL], tool_choice: choice });
    });

    test('I: runTools runs the function and gives its result to the model', async () => {
      const { name, script } = fixture.fresh();
      script.answers(callsTools(call('call_1', '{"city":"Oslo"}')), says('It is 7 degrees in Oslo.'));
      const asked: string[] = [];
      const runner = chat().runTools({
        model: name,
        messages: HI,
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'now',
              parameters: TOOL.function.parameters,
              parse: JSON.parse as (text: string) => { city: string },
              function: ({ city }: { city: string }) => (asked.push(city), { celsius: 7 }),
            },
          },
        ],
      });
      expect(await runner.finalContent()).toBe('It is 7 degrees in Oslo.');
      expect(asked).toEqual(['Oslo']);
      expect(messagesOf(script.requests[1]?.body).slice(-2)).toMatchObject([
        { role: 'assistant', tool_calls: [call('call_1', '{"city":"Oslo"}')] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":7}' },
      ]);
      expect(runner.allChatCompletions()).toHaveLength(2);
    });

    test('I: runTools over streams does the same', async () => {
      const { name, script } = fixture.fresh();
      const part = (fields: object) => ev(delta({ tool_calls: [{ index: 0, ...fields }] }));
      const first = { id: 'call_1', type: 'function', function: { name: 'double', arguments: '' } };
      script.answers(
        stream([
          ev(role()),
          part(first),
          part({ function: { arguments: '{"n":' } }),
          part({ function: { arguments: '21}' } }),
          ev(fin('tool_calls')),
          DONE,
        ]),
        stream([ev(role()), ev(delta({ content: '42' })), ev(fin()), DONE]),
      );
      const runner = chat().runTools({
        model: name,
        messages: HI,
        stream: true,
        tools: [zodFunction({ name: 'double', parameters: z.object({ n: z.number() }), function: ({ n }) => 2 * n })],
      });
      expect(await runner.finalContent()).toBe('42');
      expect(messagesOf(script.requests[1]?.body).at(-1)).toMatchObject({ role: 'tool', content: '42' });
    });

    test('I: runTools tells the model when its arguments are wrong', async () => {
      const { name, script } = fixture.fresh();
      script.answers(callsTools(call('call_1', '{"n":"x"}', 'double')), says('sorry'));
      const runner = chat().runTools({
        model: name,
        messages: HI,
        tools: [zodFunction({ name: 'double', parameters: z.object({ n: z.number() }), function: ({ n }) => 2 * n })],
      });
      expect(await runner.finalContent()).toBe('sorry');
      expect(messagesOf(script.requests[1]?.body).at(-1)).toMatchObject({
        role: 'tool',
        tool_call_id: 'call_1',
        content: expect.stringMatching(/invalid|expected/i),
      });
    });

    test('I: runTools stops after as many rounds as it is allowed', async () => {
      const { name, script } = fixture.fresh();
      script.always(callsTools(call('call_1', '{"n":1}', 'again')));
      const runner = chat().runTools(
        {
          model: name,
          messages: HI,
          tools: [zodFunction({ name: 'again', parameters: z.object({ n: z.number() }), function: () => 'more' })],
        },
        { maxChatCompletions: 3 },
      );
      await runner.done();
      expect(script.requests).toHaveLength(3);
    });

    test('I: runTools ends with the failure of its second round', async () => {
      const { name, script } = fixture.fresh();
      const refused = { error: { message: 'no', type: 'invalid_request_error', param: null, code: 'bad' } };
      script.answers(callsTools(call('call_1', '{"n":1}', 'again')), json(refused, { status: 400 }));
      const runner = chat().runTools({
        model: name,
        messages: HI,
        tools: [zodFunction({ name: 'again', parameters: z.object({ n: z.number() }), function: () => 'more' })],
      });
      expect(await thrownBy(runner.finalContent())).toBeInstanceOf(OpenAI.BadRequestError);
    });
  });

  describe('I: structured output', () => {
    const format = zodResponseFormat(weather, 'weather');

    test('I: parse gives the typed value; the schema reaches the backend', async () => {
      const { name, script } = fixture.fresh();
      script.answers(says('{"city":"Oslo","celsius":-3.5}'));
      const reply = await chat().parse({ model: name, messages: HI, response_format: format });
      expect(reply.choices[0]?.message.parsed).toEqual({ city: 'Oslo', celsius: -3.5 });
      expect(script.requests[0]?.body).toMatchObject({
        response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: {} } },
      });
    });

    test('I: parse of a refusal has nothing parsed', async () => {
      const { name, script } = fixture.fresh();
      script.answers(answerWith({ refusal: 'no' }, 'stop'));
      const reply = await chat().parse({ model: name, messages: HI, response_format: format });
      expect(reply.choices[0]?.message).toMatchObject({ refusal: 'no', parsed: null });
    });

    test('I: parse of an answer cut by its length says so', async () => {
      const { name, script } = fixture.fresh();
      script.answers(says('{"city":', 'length'));
      const error = await thrownBy(chat().parse({ model: name, messages: HI, response_format: format }));
      expect(error).toBeInstanceOf(LengthFinishReasonError);
    });

    test('I: parse of a filtered answer says so', async () => {
      const { name, script } = fixture.fresh();
      script.answers(says('', 'content_filter'));
      const error = await thrownBy(chat().parse({ model: name, messages: HI, response_format: format }));
      expect(error).toBeInstanceOf(ContentFilterFinishReasonError);
    });

    test('I: parse of a tool call gives its arguments typed', async () => {
      const { name, script } = fixture.fresh();
      script.answers(callsTools(call('call_1', '{"city":"Oslo","celsius":1}', 'report')));
      const reply = await chat().parse({
        model: name,
        messages: HI,
        tools: [zodFunction({ name: 'report', parameters: weather })],
      });
      expect(reply.choices[0]?.message.tool_calls?.[0]).toHaveProperty('function.parsed_arguments', {
        city: 'Oslo',
        celsius: 1,
      });
    });

    test('I: a streamed answer is parsed as it grows and at its end', async () => {
      const { name, script } = fixture.fresh();
      const pieces = ['{"city":"Os', 'lo","celsius":', '12}'];
      script.answers(stream([ev(role()), ...pieces.map((content) => ev(delta({ content }))), ev(fin()), DONE]));
      const grown: unknown[] = [];
      const runner = chat()
        .stream({ model: name, messages: HI, response_format: format })
        .on('content.delta', ({ parsed }) => grown.push(parsed));
      const whole = await runner.finalChatCompletion();
      expect(whole.choices[0]?.message.parsed).toEqual({ city: 'Oslo', celsius: 12 });
      expect(grown).toEqual([{ city: 'Os' }, { city: 'Oslo' }, { city: 'Oslo', celsius: 12 }]);
    });

    test('I: json_object goes to the backend as it is', async () => {
      const { name, script } = fixture.fresh();
      await chat().create({ model: name, messages: HI, response_format: { type: 'json_object' } });
      expect(script.requests[0]?.body).toMatchObject({ response_format: { type: 'json_object' } });
    });
  });
}
