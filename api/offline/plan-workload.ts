/** The workload that `soai plan` is told of, from its flags or a YAML file, judged in words. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Settings } from '../../config/schema';
import type { PlanInput, PlannedPlugin } from '../../workflows/rules/plan/workload';
import { OfflineError } from './offline-error';

const USAGE = 2;
/** More would take minutes and tell nothing new. */
const MOST_REQUESTS = 1_000_000;

const positive = z.coerce.number().positive();
const wholeFrom = (least: number) => z.coerce.number().int().min(least);

const plugin = z.strictObject({
  ID: z.string().min(1),
  MAX_CONCURRENT_TASKS: wholeFrom(1),
  LOCAL: z.boolean().default(false),
  ONE_MODEL_AT_A_TIME: z.boolean().default(false),
  LOAD_SEC: z.coerce.number().min(0).default(5),
});

const stream = z.strictObject({
  NAME: z.string().min(1).optional(),
  PLUGIN: z.string().min(1).optional(),
  MODEL: z.string().min(1).default('model'),
  RATE_PER_SEC: positive,
  SERVICE_SEC: positive,
  DISTRIBUTION: z.enum(['exponential', 'fixed', 'lognormal']).default('exponential'),
  SPREAD: positive.default(1),
  PRIORITY: z.enum(['high', 'standard', 'flex']).default('standard'),
  OWNERS: wholeFrom(1).default(1),
});

const workload = z.strictObject({
  MINUTES: positive.default(60),
  SEED: wholeFrom(0).default(1),
  QUEUE_CAPACITY: wholeFrom(1).optional(),
  DURABLE_QUEUE_HARD_LIMIT_TASKS: wholeFrom(0).optional(),
  MAX_RUNNING_TASKS_PER_OWNER: wholeFrom(0).optional(),
  MAX_RUNNING_LOCAL_BACKENDS: wholeFrom(1).optional(),
  STANDARD_PRIORITY_AGING_SEC: z.coerce.number().min(0).optional(),
  FLEX_PRIORITY_AGING_SEC: z.coerce.number().min(0).optional(),
  REQUEST_SEC: positive.optional(),
  PLUGINS: z.array(plugin).min(1).optional(),
  WORKLOAD: z.array(stream).min(1),
});

/** As on the command line. */
export const PLAN_FLAGS = [
  'file',
  'rate',
  'service',
  'distribution',
  'spread',
  'priority',
  'owners',
  'limit',
  'plugin',
  'capacity',
  'owner-limit',
  'minutes',
  'seed',
] as const;

type Flag = Exclude<(typeof PLAN_FLAGS)[number], 'owner-limit'> | 'ownerLimit';

export type PlanFlags = Partial<Readonly<Record<Flag, string>>>;

export interface Workload {
  readonly input: PlanInput;
  readonly minutes: number;
  readonly seed: number;
}

/** What neither says comes from the settings. Throws an `OfflineError` that names each fault. */
export function workloadOf(flags: PlanFlags, settings: Settings): Workload {
  const parsed = workload.safeParse(flags.file === undefined ? fromFlags(flags) : fromFile(flags.file, flags));
  if (!parsed.success) {
    throw invalid(parsed.error.issues.map(({ path, message }) => `${pathOf(path)}: ${message}`));
  }
  const told = parsed.data;
  const routing = settings.MODELS.ROUTING;
  const plugins = told.PLUGINS?.map(plannedPlugin) ?? settings.PLUGINS.map((row) => configured(row));
  const streams = told.WORKLOAD.map((row, index) => ({
    name: row.NAME ?? (told.WORKLOAD.length === 1 ? 'requests' : `requests ${index + 1}`),
    pluginId: row.PLUGIN ?? plugins[0]?.id ?? '',
    modelId: row.MODEL,
    priority: row.PRIORITY,
    owners: row.OWNERS,
    ratePerSec: row.RATE_PER_SEC,
    serviceMs: row.SERVICE_SEC * 1_000,
    distribution: row.DISTRIBUTION,
    spread: row.SPREAD,
  }));
  check(streams, plugins, told.MINUTES);
  return {
    minutes: told.MINUTES,
    seed: told.SEED,
    input: {
      durationMs: told.MINUTES * 60_000,
      streams,
      settings: {
        plugins,
        capacity: told.QUEUE_CAPACITY ?? routing.QUEUE_CAPACITY,
        hardLimit: told.DURABLE_QUEUE_HARD_LIMIT_TASKS ?? routing.DURABLE_QUEUE_HARD_LIMIT_TASKS,
        maxRunningPerOwner: told.MAX_RUNNING_TASKS_PER_OWNER ?? routing.MAX_RUNNING_TASKS_PER_OWNER,
        maxRunningLocalBackends: told.MAX_RUNNING_LOCAL_BACKENDS ?? routing.MAX_RUNNING_LOCAL_BACKENDS,
        aging: {
          standardMs: (told.STANDARD_PRIORITY_AGING_SEC ?? routing.STANDARD_PRIORITY_AGING_SEC) * 1_000,
          flexMs: (told.FLEX_PRIORITY_AGING_SEC ?? routing.FLEX_PRIORITY_AGING_SEC) * 1_000,
        },
        requestMs: (told.REQUEST_SEC ?? routing.TIMEOUTS.REQUEST_SEC) * 1_000,
      },
    },
  };
}

function fromFlags(flags: PlanFlags): unknown {
  if (flags.rate === undefined || flags.service === undefined) {
    throw invalid(['--rate and --service say what comes; or describe the workload in a file: --file']);
  }
  return defined({
    ...overall(flags),
    PLUGINS:
      flags.limit === undefined ? undefined : [{ ID: flags.plugin ?? 'plugin', MAX_CONCURRENT_TASKS: flags.limit }],
    WORKLOAD: [
      defined({
        PLUGIN: flags.plugin,
        RATE_PER_SEC: flags.rate,
        SERVICE_SEC: flags.service,
        DISTRIBUTION: flags.distribution,
        SPREAD: flags.spread,
        PRIORITY: flags.priority,
        OWNERS: flags.owners,
      }),
    ],
  });
}

/** Flags about the whole win over the file; those about one stream can't go with it. */
function fromFile(file: string, flags: PlanFlags): unknown {
  const { rate, service, distribution, spread, priority, owners, limit, plugin } = flags;
  const besides = Object.entries({ rate, service, distribution, spread, priority, owners, limit, plugin })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => `--${name}`);
  if (besides.length > 0) throw invalid([`${besides.join(', ')}: the file says that; give either`]);
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid([`${file}: ${error instanceof Error ? error.message.split('\n')[0] : 'not readable'}`]);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw invalid([`${file}: a map with WORKLOAD is expected`]);
  }
  return { ...parsed, ...defined(overall(flags)) };
}

function overall({ capacity, ownerLimit, minutes, seed }: PlanFlags): Record<string, unknown> {
  return { QUEUE_CAPACITY: capacity, MAX_RUNNING_TASKS_PER_OWNER: ownerLimit, MINUTES: minutes, SEED: seed };
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function plannedPlugin(row: z.infer<typeof plugin>): PlannedPlugin {
  return {
    id: row.ID,
    maxConcurrentTasks: row.MAX_CONCURRENT_TASKS,
    local: row.LOCAL,
    oneModelAtATime: row.ONE_MODEL_AT_A_TIME,
    loadMs: row.LOAD_SEC * 1_000,
  };
}

/** The one bundled package whose backends run on this host. */
const LOCAL_PACKAGE = 'llama-cpp';

function configured({ ID, PACKAGE, MAX_CONCURRENT_TASKS }: Settings['PLUGINS'][number]): PlannedPlugin {
  const local = PACKAGE === LOCAL_PACKAGE;
  return plannedPlugin({ ID, MAX_CONCURRENT_TASKS, LOCAL: local, ONE_MODEL_AT_A_TIME: local, LOAD_SEC: 5 });
}

function check(streams: PlanInput['streams'], plugins: readonly PlannedPlugin[], minutes: number): void {
  const known = new Set(plugins.map(({ id }) => id));
  const faults: string[] = [];
  if (known.size === 0)
    faults.push('no plugin is known: give --limit, PLUGINS in the file, or PLUGINS in the settings');
  if (known.size < plugins.length) faults.push('PLUGINS: two have the same ID');
  for (const { name, pluginId } of streams) {
    if (known.size > 0 && !known.has(pluginId)) {
      faults.push(`${name}: the plugin '${pluginId}' is not known; known: ${[...known].join(', ')}`);
    }
  }
  const requests = streams.reduce((sum, { ratePerSec }) => sum + ratePerSec * minutes * 60, 0);
  if (requests > MOST_REQUESTS) {
    faults.push(`about ${Math.round(requests)} requests would come, ${MOST_REQUESTS} are the most: plan fewer minutes`);
  }
  if (faults.length > 0) throw invalid(faults);
}

function invalid(faults: readonly string[]): OfflineError {
  return new OfflineError(USAGE, 'invalid_workload', faults.join('\n'), 'docs/capacity-planning.md has examples.');
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
