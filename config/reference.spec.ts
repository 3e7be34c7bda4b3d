import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { generatedFiles } from './reference';
import { entriesOf, type Entry } from './reference/walk';
import { settingsSchema } from './schema';

const root = join(__dirname, '..');
const committed = (path: string) => readFileSync(join(root, path), 'utf8');

test.each(Object.entries(generatedFiles()))('%s is what the schema generates', (path, content) => {
  expect(committed(path)).toBe(content);
});

test('example.yaml as it is changes nothing, and without its comment signs says the defaults', () => {
  const example = committed('config/example.yaml');
  expect(parse(example)).toBeNull();
  const uncommented = example.replaceAll(/^#/gm, '');
  expect(parse(uncommented)).toEqual(settingsSchema.parse({}));
});

test('the examples of lists in example.yaml are valid settings', () => {
  const example = committed('config/example.yaml');
  const examples = [...example.matchAll(/^## +For example:\n((?:## .*\n)+)/gm)].map(([, text]) =>
    parse((text ?? '').replaceAll(/^## /gm, '')),
  );
  const [{ PLUGINS }, { CATALOG }, { VIRTUAL_MODELS }] = examples as Record<string, unknown>[] as [
    Record<string, unknown>,
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const settings = settingsSchema.parse({ PLUGINS, MODELS: { CATALOG, ROUTING: { VIRTUAL_MODELS } } });
  expect(settings.PLUGINS).toHaveLength(1);
});

test('every setting is on the reference page', () => {
  const page = committed('docs/configuration.md');
  const named = new Set([...page.matchAll(/^(?:\| `|### )(\w+)(?:` |\[\]$)/gm)].map(([, name]) => name));
  expect(leaves(entriesOf(settingsSchema)).filter((name) => !named.has(name))).toEqual([]);
});

function leaves(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => [...(entry.kind === 'group' ? [] : [entry.name]), ...leaves(entry.children)]);
}
