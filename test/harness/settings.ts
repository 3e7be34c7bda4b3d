/** Settings as a test writes them: the parts that matter to it. */
export interface SettingsTree {
  readonly [name: string]: unknown;
}

const isTree = (value: unknown): value is SettingsTree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Trees are merged, anything else is replaced. */
export function merge(base: SettingsTree, over: SettingsTree): SettingsTree {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const below = merged[name];
    merged[name] = isTree(below) && isTree(value) ? merge(below, value) : value;
  }
  return merged;
}

export interface BackendSettings {
  /** Plugin id; its models are `ID` unless named. */
  readonly id: string;
  readonly url: string;
  /** Names to clients; each is the upstream's name too. */
  readonly models?: readonly string[];
  readonly maxConcurrentTasks?: number;
  readonly capabilities?: readonly string[];
  readonly settings?: SettingsTree;
}

/** PLUGINS and MODELS.CATALOG for backends that speak OpenAI's protocol. */
export function backends(...list: readonly BackendSettings[]): SettingsTree {
  return {
    PLUGINS: list.map((backend) => ({
      ID: backend.id,
      PACKAGE: 'openai-compatible',
      SETTINGS: { BASE_URL: backend.url, ...backend.settings },
      MAX_CONCURRENT_TASKS: backend.maxConcurrentTasks ?? 64,
    })),
    MODELS: {
      CATALOG: list.flatMap((backend) =>
        (backend.models ?? [backend.id]).map((model) => ({
          ID: model,
          PLUGIN: backend.id,
          UPSTREAM_MODEL: model,
          CAPABILITIES: backend.capabilities ?? ['chat', 'tools'],
        })),
      ),
    },
  };
}
