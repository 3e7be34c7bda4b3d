/** The Vercel AI SDK over the Responses API, whose backends here speak chat. */
import { createOpenAI } from '@ai-sdk/openai';
import { withClients } from './fixture';
import { aiFailures } from './vercel-ai/failures';
import type { Models } from './vercel-ai/models';
import { aiText } from './vercel-ai/text';
import { aiTools } from './vercel-ai/tools';

const fixture = withClients();
const provider = () => createOpenAI({ apiKey: fixture.soai.key, baseURL: `${fixture.soai.url}/v1` });

const models: Models = {
  hasStops: false,
  chat: (name) => provider().responses(name),
  completion: (name) => provider().completion(name),
  embedding: (name) => provider().embedding(name),
};

describe('@ai-sdk/openai, responses', () => {
  aiText(fixture, models);
  aiTools(fixture, models);
  aiFailures(fixture, models);
});
