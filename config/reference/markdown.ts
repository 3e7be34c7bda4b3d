/** `docs/configuration.md`: how settings are given, then one table for each group. */
import { settingsSchema } from '../schema';
import { entriesOf, type Entry } from './walk';

const INTRODUCTION = `# Configuration

<!-- Generated from config/schema.ts by \`node dist/config/generate.js\`. Edit the schema, not this page. -->

SoAI starts without a settings file. To change something, copy what you need from
[config/example.yaml](../config/example.yaml), which lists every setting with its default.

## Where settings come from

The first of these that exists is read, and no other: \`--config FILE\`, \`$SOAI_CONFIG\`, \`./soai.yaml\`,
\`$XDG_CONFIG_HOME/soai/soai.yaml\`, \`/etc/soai/soai.yaml\`. For one setting, a flag goes before the
environment, the environment before the file, the file before the default:

\`\`\`sh
soai start --set MODELS.ROUTING.QUEUE_CAPACITY=64    # a flag
SOAI__MODELS__ROUTING__QUEUE_CAPACITY=64 soai start  # the environment: SOAI__, then the names joined by __
\`\`\`

Values are read as YAML, so lists and groups work too. An entry of a list is reached by its position, which
keeps a secret out of the file: \`SOAI__PLUGINS__0__SETTINGS__API_KEY=sk-…\`.

\`soai config show --origin\` prints every setting in force with where it came from, \`soai config validate\`
checks a file without starting anything, and \`soai config schema\` prints the JSON schema that editors use
for completion. Secrets are masked wherever settings are printed.

## When something is wrong

A file with an unknown setting or a bad value starts nothing. All faults are listed at once, each with its
place, and the exit code is 2:

\`\`\`text
/etc/soai/soai.yaml:2:3: SERVER.PROT: unknown setting; did you mean PORT?
/etc/soai/soai.yaml:9:13: LOG.LEVEL: must be one of trace, debug, info, warn, error, fatal, silent; did you mean debug?
\`\`\`

Times are in seconds and may be fractions. Sizes are in bytes. The wait of up to 10 seconds for a place in a
full queue is fixed and not a setting.

## Settings
`;

export function configurationPage(): string {
  return `${INTRODUCTION}${entriesOf(settingsSchema)
    .flatMap((entry) => group(entry))
    .join('')}`;
}

function group(entry: Entry): string[] {
  const own = entry.children.filter(({ kind }) => kind !== 'group');
  const nested = entry.children.filter(({ kind }) => kind !== 'value');
  const title = entry.kind === 'list' ? `${entry.path}[]` : entry.path;
  const section = own.length === 0 ? [] : [`\n### ${title}\n\n${entry.description}\n\n${table(own)}`];
  return [...section, ...nested.flatMap(group)];
}

function table(entries: readonly Entry[]): string {
  const rows = [
    ['Setting', 'Default', 'Values', 'Meaning', 'Applied by'],
    ...entries.map((entry) => [
      `\`${entry.name}\``,
      entry.fallback === undefined ? 'required' : `\`${JSON.stringify(entry.fallback)}\``,
      [entry.type, entry.meta.unit].filter(Boolean).join(', '),
      entry.description + (entry.meta.secret ? ' Secret: never shown.' : ''),
      entry.meta.reload ?? 'restart',
    ]),
  ].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  const [header = [], ...body] = rows;
  return line(header) + line(widths.map((width) => '-'.repeat(width))) + body.map(line).join('');
}
