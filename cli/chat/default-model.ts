/** The model that `soai chat` asks when none is named. */
import type { ApiClient } from '../api-client';
import { CliError, EXIT } from '../exit-code';

interface OpenAiModels {
  readonly data: readonly { readonly id: string; readonly capabilities?: readonly string[] }[];
}

export async function defaultModel(client: ApiClient): Promise<string> {
  const { data } = await client.get<OpenAiModels>('/v1/models');
  const model = data.find(({ capabilities }) => capabilities === undefined || capabilities.includes('chat'));
  if (model !== undefined) return model.id;
  const hint = 'soai model list shows every model and why it is not available.';
  throw new CliError(EXIT.notFound, 'no_model', 'No model that can chat is available.', hint);
}
