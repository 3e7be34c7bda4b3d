/** Models, completions and embeddings (contract 4, 6; T82, T93). */
import OpenAI from 'openai';
import { json, stream, times, usageOf, vectorOf } from '../../upstream';
import type { Answer } from '../../upstream';
import { DONE, ev } from '../../upstream';
import { clientOf, thrownBy, type ClientFixture } from '../fixture';

const floats = (...vectors: readonly number[][]): Answer =>
  json({
    object: 'list',
    model: 'fake',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });

/** float32, little-endian, as OpenAI sends it. */
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}

const base64 = (...vectors: readonly number[][]): Answer =>
  json({
    object: 'list',
    model: 'fake',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: base64Of(vector) })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });

/** Exact in float32, so that every way of sending them gives the same numbers. */
const VECTORS = [
  [0.5, -0.25, 1],
  [0, -1.5, 3.0517578125e-5],
  [1024, -0.0078125, 2],
];

export function otherRoutes(fixture: ClientFixture): void {
  describe('contract 6: models', () => {
    test('contract 6: the list is one page, of model objects', async () => {
      const page = await clientOf(fixture).models.list();
      expect(page.object).toBe('list');
      expect(page.hasNextPage()).toBe(false);
      for (const model of page.data) {
        expect(model).toMatchObject({ object: 'model', id: expect.any(String), owned_by: expect.any(String) });
        expect(Number.isInteger(model.created)).toBe(true);
      }
    });

    test('contract 6: auto-paging ends', async () => {
      const ids: string[] = [];
      for await (const { id } of clientOf(fixture).models.list()) ids.push(id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(['c1', 'chat-only', 'vendor/Big Model.v1']));
    });

    test('contract 6: one model', async () => {
      expect(await clientOf(fixture).models.retrieve('c1')).toMatchObject({
        id: 'c1',
        object: 'model',
        owned_by: 'up',
      });
    });

    test('contract 6: a name with a slash and a blank, as the SDK encodes it', async () => {
      const id = 'vendor/Big Model.v1';
      expect(await clientOf(fixture).models.retrieve(id)).toMatchObject({ id });
    });

    test('contract 6: the same name with its slash raw', async () => {
      const model = await clientOf(fixture).get('/models/vendor/Big%20Model.v1');
      expect(model).toMatchObject({ id: 'vendor/Big Model.v1' });
    });

    test('contract 6: an unknown one is NotFoundError', async () => {
      const error = await thrownBy(clientOf(fixture).models.retrieve('nope'));
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' });
    });
  });

  describe('I: completions', () => {
    test('I: plain', async () => {
      const { name } = fixture.fresh();
      const reply = await clientOf(fixture).completions.create({ model: name, prompt: 'say it' });
      expect(reply).toMatchObject({ object: 'text_completion', model: name });
      expect(reply.choices).toMatchObject([{ index: 0, text: 'echo: say it', finish_reason: 'stop' }]);
      expect(reply.usage).toEqual(usageOf(2, 3));
    });

    test('I: streamed', async () => {
      const { name } = fixture.fresh();
      const pieces: string[] = [];
      const open = await clientOf(fixture).completions.create({ model: name, prompt: 'say it', stream: true });
      for await (const { choices, object, model } of open) {
        expect([object, model]).toEqual(['text_completion', name]);
        pieces.push(choices[0]?.text ?? '');
      }
      expect(pieces.join('')).toBe('echo: say it');
    });

    test('I: prompts as several texts, with n, best_of, echo, suffix and log probabilities', async () => {
      const { name, script } = fixture.fresh();
      const body = { prompt: ['a', 'b'], n: 2, best_of: 3, echo: true, suffix: '.', logprobs: 2, max_tokens: 5 };
      await clientOf(fixture).completions.create({ model: name, ...body });
      expect(script.requests[0]?.body).toEqual({ ...body, model: `up-${name}` });
    });

    test('I: prompts as token ids', async () => {
      const { name, script } = fixture.fresh();
      await clientOf(fixture).completions.create({ model: name, prompt: [1, 2, 3] });
      expect(script.requests[0]?.body).toMatchObject({ prompt: [1, 2, 3] });
    });

    test('T78: usage of a stream comes last and once', async () => {
      const { name, script } = fixture.fresh();
      const whole = { id: 'x', object: 'text_completion', created: 1, model: 'fake' };
      const piece = (text: string, reason: string | null) => ({
        ...whole,
        choices: [{ index: 0, text, finish_reason: reason, logprobs: null }],
      });
      script.answers(
        stream([
          ev(piece('a', null)),
          ev(piece('', 'stop')),
          ev({ ...whole, choices: [], usage: usageOf(1, 1) }),
          DONE,
        ]),
      );
      const all: OpenAI.Completion[] = [];
      const options = { include_usage: true };
      const body = { model: name, prompt: 'p', stream: true as const, stream_options: options };
      for await (const each of await clientOf(fixture).completions.create(body)) all.push(each);
      expect(all.map(({ usage }) => usage ?? null)).toEqual([null, null, usageOf(1, 1)]);
      expect(all.at(-1)?.choices).toEqual([]);
    });

    test('T84: no prompt', async () => {
      const { name } = fixture.fresh();
      const error = await thrownBy(clientOf(fixture).completions.create({ model: name } as never));
      expect(error).toMatchObject({ status: 400, code: 'missing_required_parameter', param: 'prompt' });
    });
  });

  describe('T93: embeddings', () => {
    const embed = (model: string, more: object = {}) =>
      clientOf(fixture).embeddings.create({ model, input: ['a', 'b', 'c'], ...more });
    const vectorsOf = ({ data }: OpenAI.CreateEmbeddingResponse) => data.map(({ embedding }) => embedding);

    test('T93: the SDK asks for base64 by itself and decodes it', async () => {
      const { name, script } = fixture.fresh();
      const input = ['one', 'two words', '세'];
      const reply = await clientOf(fixture).embeddings.create({ model: name, input });
      expect(script.requests[0]?.body).toMatchObject({ input, encoding_format: 'base64' });
      expect(vectorsOf(reply)).toEqual(input.map(vectorOf));
      expect(reply).toMatchObject({ object: 'list', model: name, usage: { total_tokens: 4 } });
    });

    test.each([
      ['floats', floats],
      ['base64', base64],
    ])("T93: the SDK's default, from a backend that always answers %s", async (_what, answer) => {
      const { name, script } = fixture.fresh();
      script.answers(answer(...VECTORS));
      const reply = await embed(name);
      expect(vectorsOf(reply)).toEqual(VECTORS);
      expect(reply.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    });

    test.each([
      ['floats', floats],
      ['base64', base64],
    ])('T93: float asked for, from a backend that always answers %s', async (_what, answer) => {
      const { name, script } = fixture.fresh();
      script.answers(answer(...VECTORS));
      expect(vectorsOf(await embed(name, { encoding_format: 'float' }))).toEqual(VECTORS);
    });

    test.each([
      ['floats', floats],
      ['base64', base64],
    ])('T93: base64 asked for, from a backend that always answers %s', async (_what, answer) => {
      const { name, script } = fixture.fresh();
      script.answers(answer(...VECTORS));
      const response = await embed(name, { encoding_format: 'base64' }).asResponse();
      const { data } = (await response.json()) as { data: { embedding: unknown; index: number }[] };
      expect(data.map(({ embedding, index }) => [index, embedding])).toEqual(
        VECTORS.map((vector, index) => [index, base64Of(vector)]),
      );
    });

    test("T93: not asked for, it is floats: OpenAI's default", async () => {
      const { name, script } = fixture.fresh();
      script.answers(base64(...VECTORS));
      const reply = await clientOf(fixture).post('/embeddings', { body: { model: name, input: 'x' } });
      expect(vectorsOf(reply as OpenAI.CreateEmbeddingResponse)).toEqual(VECTORS);
      expect(script.requests[0]?.body).not.toHaveProperty('encoding_format');
    });

    test.each([400, 422])(
      'T93: a backend that rejects encoding_format with %i is asked once more without it',
      async (code) => {
        const { name, script } = fixture.fresh();
        const message = 'Unrecognized request argument supplied: encoding_format';
        const rejection = { error: { message, type: 'invalid_request_error', param: null, code: null } };
        script.answers(json(rejection, { status: code }), floats(...VECTORS));
        expect(vectorsOf(await embed(name))).toEqual(VECTORS);
        expect(script.requests.map(({ body }) => 'encoding_format' in (body as object))).toEqual([true, false]);
      },
    );

    test('T93: one that rejects it twice has its refusal handed on', async () => {
      const { name, script } = fixture.fresh();
      const rejection = {
        error: { message: 'encoding_format?', type: 'invalid_request_error', param: null, code: null },
      };
      script.always(json(rejection, { status: 400 }));
      expect(await thrownBy(embed(name))).toMatchObject({ status: 400, code: 'upstream_rejected' });
      expect(script.requests).toHaveLength(2);
    });

    test('T30: a rejection of something else is not asked again', async () => {
      const { name, script } = fixture.fresh();
      script.always(
        json({ error: { message: 'input too long', type: 'x', param: 'input', code: 'y' } }, { status: 400 }),
      );
      expect(await thrownBy(embed(name))).toMatchObject({ status: 400, code: 'y' });
      expect(script.requests).toHaveLength(1);
    });

    test('I: a batch of 200 keeps its order', async () => {
      const { name } = fixture.fresh();
      const input = times(200, (at) => `text ${at}`);
      const reply = await clientOf(fixture).embeddings.create({ model: name, input });
      expect(reply.data.map(({ index }) => index)).toEqual(times(200, (at) => at));
      expect(vectorsOf(reply)).toEqual(input.map(vectorOf));
    });

    test('I: token ids, dimensions and user reach the backend', async () => {
      const { name, script } = fixture.fresh();
      const body = { input: [[1, 2], [3]], dimensions: 3, user: 'u' };
      await clientOf(fixture).embeddings.create({ model: name, ...body });
      expect(script.requests[0]?.body).toMatchObject(body);
    });

    test.each([
      ['no input', { input: undefined }, 'missing_required_parameter', 'input'],
      ['an empty batch', { input: [] }, 'invalid_value', 'input'],
      ['an unknown encoding', { encoding_format: 'hex' }, 'invalid_value', 'encoding_format'],
      ['dimensions of 0', { dimensions: 0 }, 'invalid_value', 'dimensions'],
    ])('T84: 400: %s', async (_what, more, code, param) => {
      const error = await thrownBy(embed(fixture.fresh().name, { ...more }));
      expect(error).toMatchObject({ status: 400, code, param });
    });
  });
}
