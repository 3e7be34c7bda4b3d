/** What one seed decides beforehand: the installation, who asks for what, and what goes wrong when. */
import type { Priority } from '../../workflows/contract';
import type { SeededRandom } from './random';

export interface PluginScenario {
  readonly id: string;
  readonly maxConcurrentTasks: number;
  readonly local: boolean;
  readonly oneModelAtATime: boolean;
  readonly models: readonly string[];
  /** Mean time of a call that works, ms. */
  readonly serviceMs: number;
  /** Share of calls that fail in some way. */
  readonly failing: number;
}

export interface RequestScenario {
  readonly afterMs: number;
  readonly owner: string;
  readonly priority: Priority;
  readonly plan: readonly { readonly modelId: string; readonly pluginId: string }[];
  readonly stream: boolean;
  readonly background: boolean;
  readonly key: string | null;
  readonly clientTimeoutMs: number | null;
  /** The client goes this long after sending. */
  readonly leavesAfterMs: number | null;
  readonly cancelledAfterMs: number | null;
  /** Each process that calls a backend with it dies. */
  readonly deadly: boolean;
}

export interface FaultScenario {
  readonly kind: 'crash' | 'stall' | 'restart' | 'engine' | 'database';
  readonly afterMs: number;
  readonly lastsMs: number;
}

export interface Scenario {
  readonly processes: number;
  readonly capacity: number;
  readonly hardLimit: number;
  readonly maxRunningPerOwner: number;
  readonly maxRunningLocalBackends: number;
  readonly standardAgingSec: number;
  readonly flexAgingSec: number;
  readonly requestMs: number;
  readonly streamMs: number;
  readonly backgroundMs: number;
  readonly firstByteMs: number;
  readonly drainMs: number;
  readonly plugins: readonly PluginScenario[];
  readonly requests: readonly RequestScenario[];
  readonly faults: readonly FaultScenario[];
}

/** Faults begin within this time; their length comes on top. */
const FAULT_SPAN_MS = 60_000;

/** @param processes how many run side by side at most */
export function scenarioOf(random: SeededRandom, processes: number): Scenario {
  const plugins = Array.from({ length: random.between(1, 3) }, (_, at) => pluginOf(random, `p${at + 1}`));
  return {
    processes: Math.min(processes, random.pick([1, 2, 2, 3])),
    capacity: random.pick([2, 4, 4, 6, 8]),
    hardLimit: random.pick([0, 0, 0, 12]),
    maxRunningPerOwner: random.pick([0, 0, 1, 2]),
    maxRunningLocalBackends: random.pick([1, 1, 2]),
    standardAgingSec: random.pick([5, 25]),
    flexAgingSec: random.pick([20, 120]),
    requestMs: random.pick([60_000, 285_000]),
    streamMs: random.pick([90_000, 300_000]),
    backgroundMs: random.pick([200_000, 400_000]),
    firstByteMs: random.pick([15_000, 60_000]),
    drainMs: random.pick([2_000, 15_000]),
    plugins,
    requests: requestsOf(random, plugins),
    faults: faultsOf(random),
  };
}

function pluginOf(random: SeededRandom, id: string): PluginScenario {
  const local = random.chance(0.3);
  return {
    id,
    maxConcurrentTasks: random.pick([1, 1, 2, 3, 8]),
    local,
    oneModelAtATime: local && random.chance(0.5),
    models: Array.from({ length: random.between(1, 2) }, (_, at) => `${id}-m${at + 1}`),
    serviceMs: random.pick([100, 1_000, 4_000, 12_000]),
    failing: random.pick([0, 0.1, 0.3, 0.9]),
  };
}

function requestsOf(random: SeededRandom, plugins: readonly PluginScenario[]): RequestScenario[] {
  const owners = Array.from({ length: random.between(1, 4) }, (_, at) => `o${at + 1}`);
  const requests: RequestScenario[] = [];
  const bursts = random.between(1, 4);
  for (let burst = 0; burst < bursts; burst += 1) {
    const beginsAt = random.between(0, 50_000);
    const spreadMs = random.pick([0, 500, 10_000]);
    const floods = random.chance(0.4) ? random.pick(owners) : null;
    for (let left = random.between(1, 10); left > 0; left -= 1) {
      const owner = floods !== null && random.chance(0.8) ? floods : random.pick(owners);
      requests.push(requestOf(random, plugins, { owner, afterMs: beginsAt + random.between(0, spreadMs) }));
    }
  }
  return requests;
}

function requestOf(
  random: SeededRandom,
  plugins: readonly PluginScenario[],
  { owner, afterMs }: { readonly owner: string; readonly afterMs: number },
): RequestScenario {
  const background = random.chance(0.15);
  const targets = random.chance(0.25) ? 2 : 1;
  const models = plugins.flatMap(({ id, models }) => models.map((modelId) => ({ pluginId: id, modelId })));
  const first = random.pick(models);
  const plan =
    targets === 1 || models.length === 1 ? [first] : [first, random.pick(models.filter((each) => each !== first))];
  return {
    afterMs,
    owner,
    plan,
    background,
    priority: random.pick(['high', 'standard', 'standard', 'standard', 'flex']),
    stream: !background && random.chance(0.5),
    key: random.chance(0.1) ? `k${random.between(1, 2)}` : null,
    clientTimeoutMs: random.chance(0.1) ? random.between(1_000, 40_000) : null,
    leavesAfterMs: !background && random.chance(0.1) ? random.around(5_000) : null,
    cancelledAfterMs: random.chance(0.05) ? random.around(8_000) : null,
    deadly: random.chance(0.01),
  };
}

function faultsOf(random: SeededRandom): FaultScenario[] {
  const faults: FaultScenario[] = [];
  const maybe = (kind: FaultScenario['kind'], probability: number, lastsMs: () => number): void => {
    if (random.chance(probability))
      faults.push({ kind, afterMs: random.between(0, FAULT_SPAN_MS), lastsMs: lastsMs() });
  };
  maybe('crash', 0.4, () => random.between(500, 45_000));
  maybe('crash', 0.15, () => random.between(500, 45_000));
  maybe('stall', 0.2, () => random.between(2_000, 30_000));
  // Long enough to lose leases, and now and then to be taken for dead by the engine.
  maybe('stall', 0.4, () => random.between(30_000, 90_000));
  maybe('restart', 0.2, () => random.between(500, 5_000));
  maybe('engine', 0.2, () => random.between(1_000, 30_000));
  maybe('database', 0.2, () => random.between(200, 4_000));
  return faults;
}
