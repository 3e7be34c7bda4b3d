/** The official SDK's own accumulator takes every stream that the translation can make. */
import fc from 'fast-check';
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import type { RequestFacts } from '../../workflows/rules/dialects/client-dialect';
import { ResponseFromChat } from '../../workflows/rules/responses/from-chat';
import { replayResponse } from '../../workflows/rules/responses/replay';
import type { ResponseObject } from '../../workflows/rules/responses/response-object';

const facts: RequestFacts = {
  taskId: 'task_01890000-0000-7000-8000-000000000001',
  clientModel: 'm',
  acceptedAt: 1_800_000_000_000,
  background: false,
  body: { model: 'm', input: 'x' },
  eventsBefore: 0,
};

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const index = fc.nat({ max: 2 });
/** Deltas in any order, as no backend should send them. */
const delta: fc.Arbitrary<object> = fc.oneof(
  text.map((content) => ({ content })),
  text.map((refusal) => ({ refusal })),
  text.map((reasoning) => ({ reasoning })),
  text.map((title) => ({ annotations: [{ type: 'url_citation', url_citation: { title } }] })),
  fc.record({ index, id: fc.constantFrom('a', 'b', 'c'), name: text }).map(({ index: at, id, name }) => ({
    tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }],
  })),
  fc.record({ index, args: fc.constantFrom('', '{', '}', '{}', '1') }).map(({ index: at, args }) => ({
    tool_calls: [{ index: at, function: { arguments: args } }],
  })),
);

function streamOf(deltas: readonly object[]): { readonly lines: string[]; readonly object: ResponseObject } {
  const translator = new ResponseFromChat(facts);
  const chunk = (fields: object, finish: string | null) =>
    translator.chunk(JSON.stringify({ choices: [{ index: 0, delta: fields, finish_reason: finish }] }));
  const events = [...deltas.flatMap((each) => chunk(each, null)), ...chunk({}, 'stop'), ...translator.end(1)];
  return { lines: events.map(({ data }) => data), object: JSON.parse(translator.assemble()) as ResponseObject };
}

async function accumulated(lines: readonly string[]): Promise<unknown> {
  const bytes = new Blob([lines.map((line) => `${line}\n`).join('')]).stream();
  const final = await ResponseStream.fromReadableStream(bytes).finalResponse();
  return JSON.parse(
    JSON.stringify(final.output, (key, value: unknown) => (key.startsWith('parsed') ? undefined : value)),
  );
}

test('contract 5: it accumulates any stream to the object that is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delta, { maxLength: 12 }), async (deltas) => {
      const { lines, object } = streamOf(deltas);
      expect(await accumulated(lines)).toEqual(object.output);
    }),
  );
});

test('K: and any replay of a stored object', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delta, { maxLength: 12 }), async (deltas) => {
      const { object } = streamOf(deltas);
      expect(await accumulated(replayResponse(object, 0).map(({ data }) => data))).toEqual(object.output);
    }),
  );
});
