/** The documents generated from the schema. A test compares the committed files with them. */
import { configurationPage } from './reference/markdown';
import { exampleYaml } from './reference/example-yaml';
import { jsonSchema } from './reference/json-schema';

export { jsonSchema };

/** Path from the repository's root to content. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'config/example.yaml': exampleYaml(),
    'config/soai.schema.json': `${JSON.stringify(jsonSchema(), null, 2)}\n`,
    'docs/configuration.md': configurationPage(),
  };
}
