/** `soai completion`: generated from the command tree, so it is never behind. */
import { Argument } from 'commander';
import { examples, type Register } from '../command';
import { bashScript } from '../completion/bash';
import { fishScript } from '../completion/fish';
import { nodesOf } from '../completion/tree';
import { zshScript } from '../completion/zsh';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;
type Shell = keyof typeof SCRIPTS;

export const registerCompletion: Register = (program, bind) => {
  const completion = program
    .command('completion')
    .description('Print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action(bind(({ print }, shell: Shell) => print.write(SCRIPTS[shell](nodesOf(program)))));
  examples(completion, 'source <(soai completion bash)', 'soai completion fish > ~/.config/fish/completions/soai.fish');
};
