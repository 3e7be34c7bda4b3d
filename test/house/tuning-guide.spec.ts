/** The tuning guide names every control of routing with its factory value and unit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { child, childNames, schemaAt } from '../../config/schema-tree';
import { settingsSchema } from '../../config/schema';

const guide = readFileSync(join(__dirname, '../../docs/scheduler-and-runtime-tuning.md'), 'utf8');
const cells = guide
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const rowOf = (name: string): string[] | undefined => cells.find((row) => row[1] === `\`${name}\`` && row.length === 7);

const GROUPS: readonly (readonly string[])[] = [[], ['TIMEOUTS'], ['RETRY'], ['HEALTH_CHECKS']];
/** Definitions and groups, not controls. */
const NO_CONTROLS = new Set(['VIRTUAL_MODELS', 'TIMEOUTS', 'RETRY', 'HEALTH_CHECKS']);

const factory = settingsSchema.parse({ SYSTEM: {} }) as unknown as Record<string, unknown>;

const controls = GROUPS.flatMap((group) => {
  const path = ['MODELS', 'ROUTING', ...group];
  const section = schemaAt(settingsSchema, path)!;
  const values = path.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], factory);
  return childNames(section)
    .filter((name) => !NO_CONTROLS.has(name))
    .map((name) => ({
      name,
      value: String((values as Record<string, unknown>)[name]),
      unit: (child(section, name)!.meta() as { readonly unit?: string }).unit ?? '-',
    }));
});

test('K: there are controls to be named', () => {
  expect(controls.length).toBeGreaterThan(30);
});

test.each(controls)(
  'K: the tuning guide has a row for $name with its factory value and unit',
  ({ name, value, unit }) => {
    const row = rowOf(name);
    expect(row).toBeDefined();
    expect(row!.slice(2, 4)).toEqual([value, unit]);
    expect(row![4]).not.toBe('');
    expect(row![5]).not.toBe('');
  },
);
