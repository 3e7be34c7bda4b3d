/** Calls at the backends as they run, and the limits that no process may exceed (A5). */
import type { AdapterCall } from '../../plugins/adapter';
import type { Ledger } from './ledger';
import type { Scenario } from './scenario';
import type { Violations } from './violations';

interface RunningCall {
  readonly taskId: string;
  readonly incarnation: string;
  readonly ownerId: string;
  readonly pluginId: string;
  readonly model: string;
}

export class RunningCalls {
  private readonly running = new Map<AdapterCall, RunningCall>();
  private readonly made = new Map<string, number>();

  constructor(
    private readonly scenario: Scenario,
    private readonly ledger: Ledger,
    private readonly violations: Violations,
  ) {}

  get size(): number {
    return this.running.size;
  }

  isCalling(taskId: string): boolean {
    return [...this.running.values()].some((call) => call.taskId === taskId);
  }

  /** Calls made for this task so far. */
  madeFor(taskId: string): number {
    return this.made.get(taskId) ?? 0;
  }

  began(call: AdapterCall, pluginId: string, incarnation: string): number {
    const { taskId, model } = call;
    const ownerId = this.ledger.tasks.get(taskId)?.owner.id ?? '?';
    this.running.set(call, { taskId, incarnation, ownerId, pluginId, model });
    this.made.set(taskId, this.madeFor(taskId) + 1);
    this.checkLimits(incarnation);
    const attempt =
      this.ledger
        .attemptsOf(taskId)
        .filter(({ holder }) => holder === incarnation)
        .at(-1)?.number ?? 0;
    this.violations.tell(`${incarnation} calls ${pluginId} for ${taskId}, attempt ${attempt}`);
    return attempt;
  }

  ended(call: AdapterCall): void {
    this.running.delete(call);
  }

  /** Its process died: so did its connections. */
  dropAllOf(incarnation: string): void {
    for (const [call, running] of this.running) if (running.incarnation === incarnation) this.running.delete(call);
  }

  private checkLimits(incarnation: string): void {
    const calls = [...this.running.values()].filter((call) => call.incarnation === incarnation);
    const { plugins, maxRunningPerOwner, maxRunningLocalBackends } = this.scenario;
    for (const { id, maxConcurrentTasks, oneModelAtATime } of plugins) {
      const here = calls.filter(({ pluginId }) => pluginId === id);
      this.within('running at one plugin', here.length, maxConcurrentTasks);
      if (oneModelAtATime) this.within('models at one local backend', new Set(here.map(({ model }) => model)).size, 1);
    }
    for (const owner of new Set(calls.map(({ ownerId }) => ownerId))) {
      const theirs = calls.filter(({ ownerId }) => ownerId === owner).length;
      if (maxRunningPerOwner > 0) this.within('running of one owner', theirs, maxRunningPerOwner);
    }
    const local = new Set(plugins.filter((plugin) => plugin.local).map(({ id }) => id));
    const backends = new Set(calls.map(({ pluginId }) => pluginId).filter((id) => local.has(id)));
    this.within('local backends at work', backends.size, maxRunningLocalBackends);
  }

  private within(what: string, count: number, limit: number): void {
    if (count > limit) this.violations.report('A5 limits', `${count} ${what}, the limit is ${limit}`);
  }
}
