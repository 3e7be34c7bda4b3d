import { execFileSync } from 'node:child_process';
import { shellCommand } from './shell-command';

test('plain values stay readable', () => {
  expect(shellCommand('temporal', 'workflow', 'describe', { 'workflow-id': 'task_1', address: '127.0.0.1:7233' })).toBe(
    'temporal workflow describe --workflow-id task_1 --address 127.0.0.1:7233',
  );
});

test.each(["it's", '$(touch x)', 'a b', '`x`', '"', '\\', '; rm', ''])(
  'the shell takes %j as one word, as it is',
  (value) => {
    const command = shellCommand('printf', '%s', { '': value });
    const script = command.replace(' -- ', ' ');
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(value);
  },
);
