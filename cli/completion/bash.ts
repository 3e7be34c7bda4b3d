import type { Node } from './tree';

/** One `case` on the words typed so far, flags and their values left out. */
export function bashScript(nodes: readonly Node[]): string {
  const withValue = flagsOf(nodes, ({ takesValue }) => takesValue);
  const choices = new Map(
    nodes.flatMap(({ flags }) =>
      flags.filter((flag) => flag.choices.length > 0).map((flag) => [flag.names.join('|'), flag.choices]),
    ),
  );
  return `# bash completion for soai: source <(soai completion bash)
_soai() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" word skip=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip=1 ;;
      -*) ;;
      *) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
${[...choices].map(([names, values]) => `    ${names}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current")); return ;;`).join('\n')}
    ${flagsOf(nodes, ({ file }) => file).join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  [[ -n $skip ]] && return
  case "$path" in
${nodes.map((node) => `    "${node.path}") COMPREPLY=($(compgen -W "${wordsOf(node).join(' ')}" -- "$current")) ;;`).join('\n')}
  esac
}
complete -F _soai soai
`;
}

function flagsOf(nodes: readonly Node[], which: (flag: Node['flags'][number]) => boolean): string[] {
  return [...new Set(nodes.flatMap(({ flags }) => flags.filter(which).flatMap(({ names }) => names)))];
}

function wordsOf({ commands, flags, values }: Node): string[] {
  return [...commands.map(({ name }) => name), ...values, ...flags.flatMap(({ names }) => names)];
}
