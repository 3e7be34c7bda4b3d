/** Lists on the command line: names of models hold no commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function orDash(names: readonly string[]): string {
  return names.join(', ') || '-';
}

export function pathTo(collection: 'models' | 'virtual-models', name: string): string {
  return `/api/v1/${collection}/${encodeURIComponent(name)}`;
}
