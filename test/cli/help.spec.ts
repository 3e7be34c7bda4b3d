/** Help: 80 columns, a runnable example for each command; completion knows every command. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../../cli/program';
import { processTerminal } from '../../cli/terminal';
import { run } from './run';

const program = buildProgram({ ...processTerminal() }, () => undefined);
const paths = (command: Command, words: string[] = []): string[][] => [
  words,
  ...command.commands.flatMap((each) => paths(each, [...words, each.name()])),
];
const all = paths(program);
const names = all.map((words) => words.join(' '));

test.each(all.map((words) => [words.join(' ') || '(none)', words] as const))(
  'J: help of soai %s',
  async (_name, words) => {
    const { code, stdout, stderr } = await run([...words, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect([line, line.length <= 80]).toEqual([line, true]);
    const examples = stdout.split(/^Examples?:$/m)[1] ?? '';
    expect(examples).toContain(['soai', ...words].join(' '));
  },
);

test('every example is a command line that parses', async () => {
  const texts = await Promise.all(all.map(async (words) => (await run([...words, '--help'])).stdout));
  const examples = texts.flatMap((text) => (text.split(/^Examples?:$/m)[1] ?? '').split('\n'));
  const lines = examples.map((line) => line.trim()).filter((line) => line !== '');
  for (const line of lines) {
    const words = /soai ((?:[a-z-]+ ?)+)/.exec(line)?.[1]?.trim().split(' ') ?? [];
    const known = names.some((name) => name !== '' && words.join(' ').startsWith(name));
    expect([line, known]).toEqual([line, true]);
  }
});

test('J: the nouns and verbs are there', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      ...['start', 'status', 'health', 'chat', 'doctor', 'version', 'completion', 'queue status'],
      ...['task list', 'task show', 'task watch', 'task cancel', 'task response', 'workflow list', 'workflow describe'],
      ...['model list', 'plugin list', 'plugin show', 'key create', 'key list', 'key revoke'],
      ...['config show', 'config validate', 'config schema'],
    ]),
  );
});

test('docs/cli.md names every command', () => {
  const page = readFileSync(join(__dirname, '../../docs/cli.md'), 'utf8');
  const leaves = names.filter((name) => name !== '' && !names.some((other) => other.startsWith(`${name} `)));
  expect(leaves.filter((name) => !page.includes(`soai ${name}`))).toEqual([]);
});

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('the %s script holds every command and flag', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of names.flatMap((name) => name.split(' '))) expect(stdout).toContain(word);
    for (const flag of ['origin', 'no-stream', 'state', 'output']) expect(stdout).toContain(flag);
  });

  /** What bash would offer for the words, the last of which is being typed. */
  async function offers(...words: string[]): Promise<string[]> {
    const { stdout } = await run(['completion', 'bash']);
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `${stdout}\nCOMP_WORDS=(soai ${list}); COMP_CWORD=${words.length}; _soai; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  }

  test('bash offers commands, flags and the values of flags', async () => {
    expect(await offers('ta')).toEqual(['task']);
    expect(await offers('task', 'l')).toEqual(['list']);
    expect(await offers('-o', 'json', 'task', 'w')).toEqual(['watch']);
    expect(await offers('task', 'list', '--state', 'comp')).toEqual(['completed']);
    expect(await offers('task', 'list', '--mo')).toEqual(['--model']);
    expect(await offers('-o', '')).toEqual(['table', 'json', 'jsonl']);
    expect(await offers('completion', 'z')).toEqual(['zsh']);
  });
});
