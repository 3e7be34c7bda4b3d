import { parseFlags, readFlags } from './flags';
import { formatFault } from './fault';

test('J: flags of start become settings', () => {
  const { flags, faults } = parseFlags([
    '--config',
    'a.yaml',
    '--port=0',
    '--set',
    'LOG.LEVEL=debug',
    '--data-dir',
    '/d',
  ]);
  expect(faults).toEqual([]);
  expect(flags.config).toBe('a.yaml');
  expect(readFlags(flags).overrides.map(({ path, value }) => [path.join('.'), value])).toEqual([
    ['LOG.LEVEL', 'debug'],
    ['SERVER.PORT', 0],
    ['SYSTEM.PATHS.SYSTEM_DATA', '/d'],
  ]);
});

test('J: an unknown flag, an argument and a flag without its value are faults', () => {
  expect(parseFlags(['--prot', '1']).faults).toHaveLength(1);
  expect(parseFlags(['extra']).faults).toHaveLength(1);
  expect(parseFlags(['--config']).faults).toHaveLength(1);
});

test('J: a fault in --set names the flag, not the value', () => {
  const { flags } = parseFlags(['--set', 'SERVER.PROT=sk-canary']);
  expect(readFlags(flags).faults.map(formatFault)).toEqual([
    '--set SERVER.PROT: SERVER.PROT: unknown setting; did you mean PORT?',
  ]);
});
