import { embed, embedMany } from 'ai';
import { json, vectorOf } from '../../upstream';
import { thrownBy, type ClientFixture } from '../fixture';
import type { Models } from './models';

export function aiEmbeddings(fixture: ClientFixture, models: Models): void {
  test('T93: embed', async () => {
    const { embedding, usage } = await embed({ model: models.embedding(fixture.fresh().name), value: 'two words' });
    expect(embedding).toEqual(vectorOf('two words'));
    expect(usage.tokens).toBe(2);
  });

  test('T93: embedMany keeps the order', async () => {
    const values = ['one', 'two', '셋'];
    const { embeddings } = await embedMany({ model: models.embedding(fixture.fresh().name), values });
    expect(embeddings).toEqual(values.map(vectorOf));
  });

  test('T93: from a backend that answers base64 whatever it is asked', async () => {
    const { name, script } = fixture.fresh();
    const embedding = Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64');
    script.answers(
      json({
        object: 'list',
        model: 'x',
        data: [{ object: 'embedding', index: 0, embedding }],
        usage: { prompt_tokens: 1 },
      }),
    );
    expect((await embed({ model: models.embedding(name), value: 'x' })).embedding).toEqual([0.5, -2]);
  });

  test('T84: embeddings of a model that offers none', async () => {
    const error = await thrownBy(embed({ model: models.embedding('chat-only'), value: 'x', maxRetries: 0 }));
    expect(error).toMatchObject({ statusCode: 400, data: { error: { code: 'no_eligible_member' } } });
  });
}
