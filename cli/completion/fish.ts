import type { Flag, Node } from './tree';

/** One `complete` line for each word and flag, conditioned on the words typed so far. */
export function fishScript(nodes: readonly Node[]): string {
  const withValue = [
    ...new Set(nodes.flatMap(({ flags }) => flags.filter((f) => f.takesValue).flatMap((f) => f.names))),
  ];
  return `# fish completion for soai: soai completion fish > ~/.config/fish/completions/soai.fish
function __soai_path
  set -l path
  set -l skip 0
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${withValue.join(' ')}
        set skip 1
      case '-*'
      case '*'
        set -a path $word
    end
  end
  string join ' ' $path
end
complete -c soai -f
${nodes.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, values }: Node): string[] {
  const here = `complete -c soai -n 'test (__soai_path) = "${path}"'`;
  return [
    ...commands.map(({ name, summary }) => `${here} -a ${name} -d ${quoted(summary)}`),
    ...values.map((value) => `${here} -a ${value}`),
    ...flags.map((flag) => `${here} ${flagWords(flag)} -d ${quoted(flag.summary)}`),
  ];
}

function flagWords({ names, takesValue, choices, file }: Flag): string {
  const words = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  if (takesValue) words.push(file ? '-rF' : '-x');
  if (choices.length > 0) words.push(`-a '${choices.join(' ')}'`);
  return words.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
