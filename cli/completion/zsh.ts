import type { Flag, Node } from './tree';

/** Built on `_describe`, so that each word shows its summary. */
export function zshScript(nodes: readonly Node[]): string {
  const withValue = [
    ...new Set(nodes.flatMap(({ flags }) => flags.filter((f) => f.takesValue).flatMap((f) => f.names))),
  ];
  return `#compdef soai
# zsh completion for soai: soai completion zsh > "\${fpath[1]}/_soai"
_soai() {
  local path="" word skip="" previous="\${words[CURRENT-1]}"
  local -a commands flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $skip ]]; then skip=""; continue; fi
    case "$word" in
      ${withValue.join('|')}) skip=1 ;;
      -*) ;;
      *) path="\${path:+$path }$word" ;;
    esac
  done
  case "$previous" in
${choiceLines(nodes)}
  esac
  if [[ -n $skip ]]; then _files; return; fi
  case "$path" in
${nodes.map(nodeLines).join('\n')}
  esac
  _describe 'command' commands
  [[ "\${words[CURRENT]}" == -* ]] && _describe -o 'option' flags
}
if [[ "$funcstack[1]" == _soai ]]; then _soai "$@"; else compdef _soai soai; fi
`;
}

function choiceLines(nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ flags }) =>
    flags
      .filter(({ choices }) => choices.length > 0)
      .map((flag) => `    ${flag.names.join('|')}) compadd -- ${flag.choices.join(' ')}; return ;;`),
  );
  return [...new Set(lines)].join('\n');
}

function nodeLines({ path, commands, flags, values }: Node): string {
  const words = [
    ...commands.map(({ name, summary }) => entry(name, summary)),
    ...values.map((value) => entry(value, '')),
  ];
  const options = flags.flatMap((flag: Flag) => flag.names.map((name) => entry(name, flag.summary)));
  return `    "${path}") commands=(${words.join(' ')}); flags=(${options.join(' ')}) ;;`;
}

function entry(name: string, summary: string): string {
  const text = summary === '' ? name : `${name}:${summary.replaceAll(':', '\\:')}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
