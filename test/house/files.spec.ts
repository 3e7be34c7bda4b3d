/** What every file of the repository keeps to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, sourceFiles } from './source-files';

const code = /\.(ts|mjs|cjs|html|scss)$/;
const text = /\.(ts|mjs|cjs|html|scss|css|json|ya?ml|md|sh|service)$|\/(soai|run|Dockerfile)$/;

const LONGEST = 400;

/** Written in pieces, so that this file does not find itself. */
const FORBIDDEN: readonly [string, RegExp][] = [
  ['a note to finish later', new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`)],
  [
    'a path of one machine',
    new RegExp(`(^|[\\s"'\`(=:])/(${['ro' + 'ot', 'wo' + 'rk', 'ho' + 'me/[a-z]', 'Us' + 'ers'].join('|')})/`),
  ],
  [
    'the host of a package registry',
    new RegExp(
      [
        'registry\\.npm' + 'js',
        'pypi\\.' + 'org',
        'proxy\\.gol' + 'ang',
        'static\\.crates',
        'deb\\.deb' + 'ian\\.org',
      ].join('|'),
    ),
  ],
];

function linesOf(file: string): string[] {
  return readFileSync(join(root, file), 'utf8').split('\n');
}

test('house: no source file is longer than 400 lines', () => {
  const long = sourceFiles()
    .filter((file) => code.test(file))
    .map((file) => ({ file, lines: linesOf(file).length - 1 }))
    .filter(({ lines }) => lines > LONGEST);
  expect(long).toEqual([]);
});

test.each(FORBIDDEN)('house: no file holds %s', (_what, pattern) => {
  const found = sourceFiles()
    .filter((file) => text.test(file))
    .flatMap((file) =>
      linesOf(file).flatMap((line, at) =>
        pattern.test(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 100)}`] : [],
      ),
    );
  expect(found).toEqual([]);
});

test('house: the checks above see what they look for', () => {
  const samples = ['// TO' + 'DO later', "open('/ro" + "ot/x')", 'https://registry.npm' + 'js.org/x'];
  expect(FORBIDDEN.map(([, pattern], at) => pattern.test(samples[at]!))).toEqual([true, true, true]);
  expect(sourceFiles()).toContain('test/house/files.spec.ts');
});
