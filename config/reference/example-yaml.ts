/**
 * `config/example.yaml`: every setting with its default, commented out.
 *
 * A line that starts with one `#` is a setting: taking that `#` from every line gives a valid file
 * that says exactly what the defaults say. Lines that start with `##` are for the reader.
 */
import { stringify } from 'yaml';
import { settingsSchema } from '../schema';
import { entriesOf, type Entry } from './walk';

const HEADER = `## Settings of SoAI. Copy to ./soai.yaml, $XDG_CONFIG_HOME/soai/soai.yaml or /etc/soai/soai.yaml, or
## name it with --config or $SOAI_CONFIG. Take the # from the lines you change (and from the group
## they stand in). Generated from config/schema.ts; docs/configuration.md says more.
`;

const LIST_EXAMPLES: Readonly<Record<string, unknown>> = {
  PLUGINS: [
    {
      ID: 'up1',
      PACKAGE: 'openai-compatible',
      SETTINGS: { BASE_URL: 'http://127.0.0.1:9100/v1', API_KEY: 'sk-x' },
      MAX_CONCURRENT_TASKS: 8,
    },
  ],
  'MODELS.CATALOG': [
    {
      ID: 'm1',
      PLUGIN: 'up1',
      UPSTREAM_MODEL: 'fake',
      ALIASES: [],
      CAPABILITIES: ['chat', 'tools'],
      MODALITIES: ['text'],
    },
  ],
  'MODELS.ROUTING.VIRTUAL_MODELS': [{ NAME: 'team', STRATEGY: 'failover', MEMBERS: ['m1', 'm2'] }],
};

export function exampleYaml(): string {
  return `${HEADER}${entriesOf(settingsSchema)
    .map((entry) => `\n${lines(entry, '').join('\n')}\n`)
    .join('')}`;
}

function lines(entry: Entry, indent: string): string[] {
  const remarks = wrap(remark(entry), indent);
  if (entry.kind === 'group') {
    return [...remarks, `#${indent}${entry.name}:`, ...entry.children.flatMap((each) => lines(each, `${indent}  `))];
  }
  const setting = `#${indent}${entry.name}: ${JSON.stringify(entry.fallback)}`;
  return [...remarks, ...(entry.kind === 'list' ? listRemarks(entry, indent) : []), setting];
}

function remark(entry: Entry): string {
  const facts = entry.kind === 'value' ? [entry.type, entry.meta.unit].filter(Boolean).join(', ') : '';
  return facts ? `${entry.description} [${facts}]` : entry.description;
}

function listRemarks(entry: Entry, indent: string): string[] {
  const example = stringify({ [entry.name]: LIST_EXAMPLES[entry.path] }).trimEnd();
  return [
    ...entry.children.flatMap((each) => wrap(`${each.name}: ${remark(each)}`, `${indent}  `)),
    ...['For example:', ...example.split('\n').map((line) => `  ${line}`)].map((line) => `## ${indent}${line}`),
  ];
}

/** Comment lines of at most 100 columns. */
function wrap(text: string, indent: string): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    if (row !== '' && indent.length + row.length + word.length + 4 > 100) {
      rows.push(row);
      row = '';
    }
    row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, row].map((each) => `## ${indent}${each}`);
}
