/** The documents generated from the API. A test compares the committed files with them. */
import { openApiDocument } from '../management/openapi';
import { documentedRoutes } from './documented-routes';
import { httpApiPage } from './http-api-page';

/** Path from the repository's root to content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return { 'docs/http-api.md': httpApiPage(openApiDocument(documentedRoutes(), '')) };
}
