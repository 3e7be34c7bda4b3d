/**
 * What backends may do to bytes, from the first read to the stored answer: any cut, any comments, any
 * truncated prefix, any damage (spec K; T01, T02, T04, T16, T23). Never a crash, never a wrong success.
 */
import fc from 'fast-check';
import { UpstreamFailure } from '../plugins/adapter';
import { readEvents } from '../plugins/sse/read-events';
import type { Operation } from '../workflows/contract';
import { exchangeFor, type Exchange } from '../workflows/rules/dialects/exchange';

type Json = Record<string, unknown>;

interface Kind {
  readonly operation: Operation;
  readonly spoken: 'chat' | 'completions';
  /** The text of a stored answer. */
  readonly textOf: (answer: Json) => string;
}

interface TextPart {
  readonly type: string;
  readonly text?: string;
}

const joined = (parts: readonly TextPart[]): string => parts.map(({ text }) => text ?? '').join('');
const first = (answer: Json) => (answer['choices'] as { message?: { content: string | null }; text?: string }[])[0];

const KINDS: readonly Kind[] = [
  { operation: 'chat', spoken: 'chat', textOf: (answer) => first(answer)?.message?.content ?? '' },
  { operation: 'completions', spoken: 'completions', textOf: (answer) => first(answer)?.text ?? '' },
  {
    operation: 'responses',
    spoken: 'chat',
    textOf: ({ output }) => (output as { content?: TextPart[] }[]).map(({ content }) => joined(content ?? [])).join(''),
  },
  { operation: 'messages', spoken: 'chat', textOf: ({ content }) => joined(content as TextPart[]) },
];

function exchangeOf({ operation, spoken }: Kind): Exchange {
  const asked = operation === 'completions' ? { prompt: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] };
  const body = operation === 'responses' ? { input: 'hi' } : asked;
  const outcome = exchangeFor({
    taskId: 't1',
    operation,
    spoken,
    clientModel: 'vm',
    acceptedAt: 1_000,
    background: false,
    body: { model: 'vm', max_tokens: 64, stream: true, ...body },
    eventsBefore: 0,
  });
  if (outcome.kind === 'refused') throw new Error(outcome.failure.message);
  return outcome.exchange;
}

const base = { id: 'c1', created: 7, model: 'up' };

function chunkOf({ spoken }: Kind, text: string, reason: string | null): Json {
  if (spoken === 'completions') return { ...base, choices: [{ index: 0, text, finish_reason: reason }] };
  const delta = text === '' ? {} : { content: text };
  return { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] };
}

/** The lines of a backend's whole stream, each with its end. */
function linesOf(kind: Kind, pieces: readonly string[], lineEnd: string): string[] {
  const chunks = [...pieces.map((piece) => chunkOf(kind, piece, null)), chunkOf(kind, '', 'stop')];
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return events.flatMap((data) => [`data: ${data}${lineEnd}`, lineEnd]);
}

interface Played {
  readonly failure: string | null;
  readonly text: string;
  readonly badLines: number;
  /** Most events that were held back before the first was given. */
  readonly mostHeld: number;
}

/** As an attempt plays it (`call-backend.ts`), without what is around it. */
async function play(kind: Kind, reads: readonly Uint8Array[]): Promise<Played> {
  const stream = exchangeOf(kind).openStream();
  let mostHeld = 0;
  const result = (failure: string | null): Played => ({
    failure,
    text: kind.textOf(JSON.parse(stream.assemble()) as Json),
    badLines: stream.badLines,
    mostHeld,
  });
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield* reads;
  }
  try {
    for await (const { data } of readEvents(bytes())) {
      const step = stream.step(data);
      if (!stream.given) mostHeld += 1;
      for (const event of step.forward) if (event.data !== '[DONE]') JSON.parse(event.data);
      if (step.failure) return result(step.failure.kind);
      if (step.done) break;
    }
    return result(stream.finish(2_000).failure?.kind ?? null);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return result(error.kind);
  }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const offsets = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return offsets.slice(1).map((end, at) => bytes.subarray(offsets[at], end));
}

const kinds = fc.constantFrom(...KINDS);
const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const cuts = fc.array(fc.nat(), { maxLength: 40 });
const RUNS = { numRuns: 150 };

describe('streams', () => {
  test('T02, T04: any cut, any line end and any comments between lines leave the answer whole', async () => {
    const comment = fc.string({ maxLength: 12 }).map((text) => `:${text.replaceAll(/[\r\n]/g, ' ')}`);
    const comments = fc.array(fc.tuple(fc.nat(), comment), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(kinds, pieces, lineEnds, comments, cuts, async (kind, words, lineEnd, added, offsets) => {
        const lines = linesOf(kind, words, lineEnd);
        for (const [at, text] of added) lines.splice(at % (lines.length + 1), 0, `${text}${lineEnd}`);
        const played = await play(kind, cutAt(Buffer.from(lines.join('')), offsets));
        expect(played).toMatchObject({ failure: null, text: words.join(''), badLines: 0 });
      }),
      RUNS,
    );
  });

  test('T13, T23: a prefix is the whole answer, or a failure: never a success with less', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, pieces, lineEnds, fc.nat(), cuts, async (kind, words, lineEnd, end, offsets) => {
        const bytes = Buffer.from(linesOf(kind, words, lineEnd).join(''));
        const prefix = bytes.subarray(0, end % bytes.length);
        const { failure, text } = await play(kind, cutAt(prefix, offsets));
        if (failure === null) expect(text).toBe(words.join(''));
        else expect(words.join('').startsWith(text.replace(/\uFFFD+$/, ''))).toBe(true);
      }),
      RUNS,
    );
  });

  test('K: damaged bytes are an answer or a failure, never a crash', async () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'set', 'add'), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 10,
    });
    await fc.assert(
      fc.asyncProperty(kinds, pieces, damage, cuts, async (kind, words, faults, offsets) => {
        const bytes = [...Buffer.from(linesOf(kind, words, '\n').join(''))];
        for (const [at, how, byte] of faults) {
          const place = at % bytes.length;
          if (how === 'drop') bytes.splice(place, 1);
          else if (how === 'add') bytes.splice(place, 0, byte);
          else bytes[place] = byte;
        }
        const { failure } = await play(kind, cutAt(Buffer.from(bytes), offsets));
        expect([null, 'malformed', 'status', 'oversized']).toContain(failure);
      }),
      RUNS,
    );
  });

  test('K: any events at all: no crash, nothing given that is no JSON, no more than 64 held back', async () => {
    const data = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string(),
      fc.constantFrom('{"choices":[{}]}', '{"choices":[{"delta":null}]}', '{"choices":[],"usage":{}}', '{"error":7}'),
    );
    await fc.assert(
      fc.asyncProperty(kinds, fc.array(data, { maxLength: 90 }), async (kind, list) => {
        const text = list.map((each) => `data: ${each.replaceAll(/[\r\n]/g, ' ')}\n\n`).join('');
        const { mostHeld, badLines } = await play(kind, [Buffer.from(text)]);
        expect(mostHeld - badLines).toBeLessThanOrEqual(64);
      }),
      RUNS,
    );
  });

  test('K: an endless preamble is held no longer than its cap', async () => {
    const [chat] = KINDS as readonly [Kind, ...Kind[]];
    const empty = `data: ${JSON.stringify(chunkOf(chat, '', null))}\n\n`;
    const { mostHeld, failure } = await play(chat, [Buffer.from(empty.repeat(500))]);
    expect(mostHeld).toBeLessThanOrEqual(64);
    expect(failure).toBe('malformed');
  });
});

describe('plain answers', () => {
  const answerOf = ({ spoken }: Kind, text: string): string => {
    const said = spoken === 'chat' ? { message: { role: 'assistant', content: text } } : { text };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return JSON.stringify({ ...base, choices: [{ index: 0, ...said, finish_reason: 'stop' }], usage });
  };

  test('K: the whole is an answer, each proper prefix a failure', () => {
    fc.assert(
      fc.property(kinds, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.nat(), (kind, said, end) => {
        const text = answerOf(kind, said);
        const whole = exchangeOf(kind).readAnswer(text, 2_000);
        expect(whole.kind === 'answer' && kind.textOf(JSON.parse(whole.text) as Json)).toBe(said);
        expect(exchangeOf(kind).readAnswer(text.slice(0, end % text.length), 2_000)).toMatchObject({
          kind: 'failure',
          facts: { kind: 'malformed' },
        });
      }),
      RUNS,
    );
  });

  test('K: any JSON, and JSON of nearly the right shape, is an answer or a failure', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const nearly = fc.record({ choices: fc.array(fc.record({ message: value, text: value }, { requiredKeys: [] })) });
    fc.assert(
      fc.property(kinds, fc.oneof(value, nearly, fc.record({ choices: value, error: value })), (kind, answer) => {
        const read = exchangeOf(kind).readAnswer(JSON.stringify(answer), 2_000);
        expect(['answer', 'failure']).toContain(read.kind);
        if (read.kind === 'answer') expect(() => void JSON.parse(read.text)).not.toThrow();
      }),
      { numRuns: 400 },
    );
  });
});
