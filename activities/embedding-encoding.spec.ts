import fc from 'fast-check';
import { encodingAskedFor, inEncoding, withoutRejectedEncoding } from './embedding-encoding';

/** As OpenAI sends it: float32, little-endian. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}

const answer = (...embeddings: unknown[]): string =>
  JSON.stringify({ object: 'list', data: embeddings.map((embedding, index) => ({ index, embedding })), model: 'm' });

function converted(text: string, encoding: 'float' | 'base64'): unknown[] {
  const result = inEncoding(text, encoding);
  if (result.kind === 'failure') throw new Error(result.facts.message);
  return (JSON.parse(result.text) as { data: { embedding: unknown }[] }).data.map(({ embedding }) => embedding);
}

describe('T93: what the client asked for', () => {
  test.each([
    [{}, 'float'],
    [{ encoding_format: null }, 'float'],
    [{ encoding_format: 'float' }, 'float'],
    [{ encoding_format: 'base64' }, 'base64'],
  ])('T93: %j is %s', (body, expected) => {
    expect(encodingAskedFor(body)).toBe(expected);
  });
});

describe('T93: the encoding of an answer', () => {
  test('T93: floats become little-endian float32 in base64', () => {
    expect(converted(answer([1, -2, 0.5]), 'base64')).toEqual(['AACAPwAAAMAAAAA/']);
  });

  test('T93: base64 becomes numbers', () => {
    expect(converted(answer('AACAPwAAAMAAAAA/'), 'float')).toEqual([[1, -2, 0.5]]);
  });

  test('T93: what needs no change keeps its bytes', () => {
    const text = '{"data":[{"embedding":[1.0, -0.10e1],"index":0,"x":null}],"big":12345678901234567890}';
    expect(inEncoding(text, 'float')).toEqual({ kind: 'answer', text });
    const encoded = '{ "data":[{"embedding":"AACAPw==","index":0}],"usage":{"total_tokens":1.0} }';
    expect(inEncoding(encoded, 'base64')).toEqual({ kind: 'answer', text: encoded });
  });

  test('T93: nothing but the vectors changes', () => {
    const text = '{"usage":{"n":1.0},"data":[{"index":1,"x":{"y":[]},"embedding":[1]}],"object":"list","__proto__":7}';
    const result = inEncoding(text, 'base64');
    expect(result).toEqual({
      kind: 'answer',
      text: '{"usage":{"n":1.0},"data":[{"index":1,"x":{"y":[]},"embedding":"AACAPw=="}],"object":"list","__proto__":7}',
    });
  });

  test('T93: no inputs and empty vectors are answers', () => {
    expect(converted(answer(), 'base64')).toEqual([]);
    expect(converted(answer([]), 'base64')).toEqual(['']);
    expect(converted(answer(''), 'float')).toEqual([[]]);
  });

  test.each([
    ['a missing one', undefined, 'float'],
    ['null', null, 'base64'],
    ['text that is no base64', 'not base64!', 'float'],
    ['three bytes', 'AAAA', 'float'],
    ['a NaN', base64Of([NaN]), 'float'],
    ['texts in the vector', ['1'], 'base64'],
    ['nulls in the vector', [null], 'float'],
    ['a number beyond float32', [1e300], 'base64'],
  ] as const)('K: %s is a malformed answer', (_what, embedding, encoding) => {
    expect(inEncoding(answer([1], embedding), encoding)).toMatchObject({
      kind: 'failure',
      facts: { kind: 'malformed' },
    });
  });

  // JSON writes -0 as 0, so no backend can send one as a number.
  const floats = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
  const vectors = fc.array(fc.array(floats, { maxLength: 24 }), { maxLength: 6 });

  test('T93: any float32 vectors survive both ways, in order', () => {
    fc.assert(
      fc.property(vectors, (all) => {
        expect(converted(answer(...all), 'base64')).toEqual(all.map(base64Of));
        expect(converted(answer(...all.map(base64Of)), 'float')).toEqual(all);
      }),
    );
  });

  test('T93: a mixed answer becomes one of a kind', () => {
    fc.assert(
      fc.property(vectors, fc.infiniteStream(fc.boolean()), (all, encoded) => {
        const mixed = answer(...all.map((vector) => (encoded.next().value ? base64Of(vector) : vector)));
        expect(converted(mixed, 'base64')).toEqual(all.map(base64Of));
        expect(converted(mixed, 'float').every(Array.isArray)).toBe(true);
      }),
    );
  });

  test('K: no answer with a data array makes it throw', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom('float' as const, 'base64' as const), (data, encoding) => {
        expect(['answer', 'failure']).toContain(inEncoding(JSON.stringify({ data }), encoding).kind);
      }),
    );
  });
});

describe('T93: a backend that refuses encoding_format', () => {
  const body = { model: 'm', encoding_format: 'base64', input: 'x' };
  const refusal = 'Unknown parameter: encoding_format';

  test.each([400, 422])('T93: %i is asked once more without it', (status) => {
    expect(withoutRejectedEncoding(body, { kind: 'status', status }, refusal)).toEqual({ model: 'm', input: 'x' });
  });

  test.each([
    ['another status', { kind: 'status', status: 500 }, body, refusal],
    ['no status', { kind: 'transport' }, body, refusal],
    ['another refusal', { kind: 'status', status: 400 }, body, 'input is too long'],
    ['a body without it', { kind: 'status', status: 400 }, { input: 'x' }, refusal],
  ] as const)('T30: %s is not', (_what, failure, sent, text) => {
    expect(withoutRejectedEncoding(sent, failure, text)).toBeNull();
  });
});
