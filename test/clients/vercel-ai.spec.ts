/** The Vercel AI SDK with both of its providers for OpenAI's protocol, against the real product. */
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { withClients } from './fixture';
import { aiEmbeddings } from './vercel-ai/embeddings';
import { aiFailures } from './vercel-ai/failures';
import type { Models } from './vercel-ai/models';
import { aiText } from './vercel-ai/text';
import { aiTools } from './vercel-ai/tools';

const fixture = withClients();
const options = () => ({ apiKey: fixture.soai.key, baseURL: `${fixture.soai.url}/v1` });

const PROVIDERS: readonly [string, Models][] = [
  [
    '@ai-sdk/openai',
    {
      hasStops: true,
      chat: (name) => createOpenAI(options()).chat(name),
      completion: (name) => createOpenAI(options()).completion(name),
      embedding: (name) => createOpenAI(options()).embedding(name),
    },
  ],
  [
    '@ai-sdk/openai-compatible',
    {
      hasStops: true,
      chat: (name) => compatible().chatModel(name),
      completion: (name) => compatible().completionModel(name),
      embedding: (name) => compatible().embeddingModel(name),
    },
  ],
];

const compatible = () =>
  createOpenAICompatible({ name: 'soai', includeUsage: true, supportsStructuredOutputs: true, ...options() });

describe.each(PROVIDERS)('%s', (_name, models) => {
  aiText(fixture, models);
  aiTools(fixture, models);
  aiFailures(fixture, models);
  aiEmbeddings(fixture, models);
});
