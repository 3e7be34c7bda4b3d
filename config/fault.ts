/** What is wrong with the settings, where, and how it is printed. Never holds a setting's value. */

export type SettingSource =
  | { readonly kind: 'file'; readonly file: string; readonly line: number | null; readonly column: number | null }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string };

export type SettingPath = readonly (string | number)[];

export interface Fault {
  /** Dotted, e.g. `PLUGINS.0.ID`; null when the fault is not about one setting. */
  readonly path: string | null;
  readonly message: string;
  /** null: the value is a default, or comes from nowhere (a required one that is missing). */
  readonly source: SettingSource | null;
}

export function dotted(path: SettingPath): string {
  return path.join('.');
}

/** One line, `file:line:column: PATH: message`, as editors and terminals link it. */
export function formatFault(fault: Fault): string {
  return [place(fault.source), fault.path, fault.message].filter(Boolean).join(': ');
}

function place(source: SettingSource | null): string | null {
  if (source === null) return null;
  if (source.kind !== 'file') return source.name;
  return [source.file, source.line, source.column].filter((part) => part !== null).join(':');
}
