import { fields, table, type Column } from './table';

interface Row {
  readonly name: string;
  readonly count: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name, cut: true },
  { title: 'N', value: ({ count }) => String(count), right: true },
];

test('columns are aligned, numbers to the right, no blanks at line ends', () => {
  const rows = [
    { name: 'a', count: 1 },
    { name: 'longer', count: 100 },
  ];
  expect(table(rows, COLUMNS, null)).toBe('NAME      N\na         1\nlonger  100\n');
});

test('a cell that may be cut is, never below eight characters', () => {
  const rows = [{ name: 'x'.repeat(40), count: 1 }];
  expect(table(rows, COLUMNS, 20).split('\n')[1]).toBe(`${'x'.repeat(16)}…  1`);
  expect(table(rows, COLUMNS, 1).split('\n')[1]).toBe(`${'x'.repeat(7)}…  1`);
});

test('S8: a line feed in a cell starts no line', () => {
  expect(table([{ name: 'a\nb', count: 1 }], COLUMNS, null).split('\n')).toHaveLength(3);
  expect(fields([['Name', 'a\nb']])).toBe('Name  a\\u000ab\n');
});
