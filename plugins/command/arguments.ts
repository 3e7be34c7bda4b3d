export interface ArgumentValues {
  readonly port: number;
  readonly model: string | undefined;
  readonly dataDir: string;
}

const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** Fills in one argument. Values are put in as they are and never read again, so they can't nest. */
export function fillIn(argument: string, { port, model, dataDir }: ArgumentValues): string {
  const values: Readonly<Record<string, string | undefined>> = { port: String(port), model, data_dir: dataDir };
  return argument.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

export function templateFaults(argument: string, hasModel: boolean): string[] {
  return [...argument.matchAll(PLACEHOLDER)].flatMap(([whole, name]) => {
    if (name === 'model') return hasModel ? [] : ['{model} needs MODEL'];
    return name === 'port' || name === 'data_dir'
      ? []
      : [`${whole} is unknown; there are {port}, {model} and {data_dir}`];
  });
}
