/** `soai config`: the settings in force, their check and their schema. */
import { stringify } from 'yaml';
import { formatFault } from '../../config/fault';
import { maskSettings } from '../../config/mask';
import type { Origin, Origins } from '../../config/origins';
import { jsonSchema } from '../../config/reference';
import { examples, type Register } from '../command';
import type { Context } from '../context';
import { EXIT } from '../exit-code';

export const registerConfig: Register = (program, bind) => {
  const config = program.command('config').description('Look at and check the settings');
  examples(config, 'soai config show --origin');

  const show = config
    .command('show')
    .description('Print the settings in force, secrets masked')
    .option('--origin', 'one setting a line, with where it came from')
    .action(
      bind((context, { origin }: { origin?: boolean }) => (origin ? showOrigins(context) : showSettings(context))),
    );
  examples(show, 'soai config show', 'soai config show --origin', 'soai config show --output json');

  const validate = config
    .command('validate')
    .description('Check the settings, starting nothing; exit code 2 lists the faults')
    .action(bind(validateSettings));
  examples(validate, 'soai config validate --config soai.yaml');

  const schema = config
    .command('schema')
    .description('Print the JSON schema of the settings file, for editors')
    .action(bind(({ print }) => (print.format === 'jsonl' ? print.line(jsonSchema()) : print.json(jsonSchema()))));
  examples(schema, 'soai config schema > soai.schema.json');
};

function showSettings(context: Context): void {
  const { settings, file } = context.sound();
  const { print } = context;
  const shown = maskSettings(settings);
  if (print.format === 'json') return print.json(shown);
  if (print.format === 'jsonl') return print.line(shown);
  print.say(file === null ? 'No settings file was found; these are the defaults.' : `Settings file: ${file}`);
  print.write(stringify(shown));
}

interface Row {
  readonly path: string;
  readonly value: unknown;
  readonly origin: Origin;
}

function showOrigins(context: Context): void {
  const { settings, origins } = context.sound();
  context.print.list<Row>({ data: [...rows(maskSettings(settings), origins)], next_cursor: null }, [
    { title: 'SETTING', value: ({ path }) => path },
    { title: 'VALUE', value: ({ value }) => JSON.stringify(value), cut: true },
    { title: 'ORIGIN', value: ({ origin }) => place(origin) },
  ]);
}

function* rows(value: unknown, origins: Origins, path = ''): Generator<Row> {
  const nested = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (nested.length === 0) yield { path, value, origin: origins[path] ?? { source: 'default' } };
  for (const [key, inner] of nested) yield* rows(inner, origins, path === '' ? key : `${path}.${key}`);
}

function place({ source, file, line, name }: Origin): string {
  if (source === 'file') return `${file ?? ''}${line === undefined ? '' : `:${line}`}`;
  return name ?? source;
}

function validateSettings(context: Context): number {
  const result = context.load();
  const { print } = context;
  const faults = result.ok ? [] : result.faults;
  const warnings = result.ok ? result.warnings : [];
  if (print.format === 'json') print.json({ ok: result.ok, file: result.file, faults, warnings });
  else if (print.format === 'jsonl') print.line({ ok: result.ok, file: result.file, faults, warnings });
  else {
    for (const fault of faults) print.say(formatFault(fault));
    for (const warning of warnings) print.say(`warning: ${formatFault(warning)}`);
    if (result.ok) print.write(`${result.file ?? 'The defaults'}: ok\n`);
    else print.say(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}.`);
  }
  return result.ok ? EXIT.ok : EXIT.usage;
}
