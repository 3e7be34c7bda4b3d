/** Both APIs in one OpenAPI document. */
import { openApiDocument, type OpenApiDocument } from '../management/openapi';
import type { Route } from '../management/route';
import { openAiPaths, openAiSchemas } from './openai-paths';

export function wholeDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const { info, paths, components, ...rest } = openApiDocument(routes, version);
  return {
    ...rest,
    info: { ...info, title: 'SoAI' },
    paths: { ...openAiPaths(), ...paths },
    components: { ...components, schemas: { ...components.schemas, ...openAiSchemas } },
  };
}
