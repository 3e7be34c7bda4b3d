/** The command tree as completion scripts need it. */
import type { Command, Option } from 'commander';

export interface Node {
  /** The words that lead here, without `soai`; '' for the root. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly Flag[];
  /** Values of the first argument, where they are known. */
  readonly values: readonly string[];
}

export interface Flag {
  readonly names: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  /** Its value is a file. */
  readonly file: boolean;
}

/** Global flags are on every node, since they may stand anywhere. */
export function nodesOf(program: Command): readonly Node[] {
  const globals = program.options.map(flagOf);
  const visit = (command: Command, path: string): Node[] => [
    {
      path,
      commands: command.commands.map((each) => ({ name: each.name(), summary: each.description() })),
      flags: [...(command === program ? [] : command.options.map(flagOf)), ...globals, HELP],
      values: command.registeredArguments[0]?.argChoices ?? [],
    },
    ...command.commands.flatMap((each) => visit(each, `${path} ${each.name()}`.trim())),
  ];
  return visit(program, '');
}

const HELP: Flag = { names: ['--help'], summary: 'show help', takesValue: false, choices: [], file: false };

function flagOf(option: Option): Flag {
  return {
    names: [option.short, option.long].filter((name): name is string => name !== undefined),
    summary: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    file: option.long === '--config' || option.long === '--data-dir',
  };
}
