/** Rules broken on purpose, each with the oracle that has to notice. */
import { Delivery } from '../../activities/delivery';
import { RunWatch } from '../../activities/run-watch';
import * as aging from '../../workflows/rules/aging';
import { Limits } from '../../workflows/rules/limits';
import { QueueDoor } from '../../workflows/rules/queue-door';
import { ReadyQueue } from '../../workflows/rules/ready-queue';
import * as recovery from '../../workflows/rules/recovery';
import * as retry from '../../workflows/rules/retry';
import { Seats } from '../../workflows/rules/seats';
import { Ledger } from './ledger';

export interface Mutation {
  readonly name: string;
  readonly caughtBy: RegExp;
  /** Returns what mends it again. */
  readonly install: () => () => void;
}

/** Everything, private parts included: a mutation reaches where no caller may. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Insides = any;

const { orphans, settle } = Ledger.prototype;
const { decideRetry } = retry;
const { recover } = recovery;
const refuse: Insides = QueueDoor.prototype.refuse;
const insidesOf = (limits: Limits): Insides => limits;

export const MUTATIONS: readonly Mutation[] = [
  mutation('C1: an ending ignores its fence', /O2 fenced/, Ledger.prototype, {
    isFenceOf: () => true,
  }),
  mutation('C1: the sweep overlooks expired leases', /C1 back in queue|O1 no loss/, Ledger.prototype, {
    orphans(this: Ledger, ...asked: Parameters<typeof orphans>) {
      return orphans.apply(this, asked).filter(({ id }) => this.items.get(id)?.holder === null);
    },
  }),
  mutation('C1: a task is taken over without end', /C1 poison/, recovery, {
    recover: (facts: recovery.OrphanFacts) => recover({ ...facts, takeovers: 0 }),
  }),
  mutation('C1: a process ends what another owns by now', /O2 owner/, Ledger.prototype, {
    isOwnerOf: () => true,
  }),
  mutation('A10: a cancellation stays in the process that was asked', /A10 cancel/, RunWatch.prototype, {
    look: () => Promise.resolve(),
  }),
  mutation('O2: a task can be ended again', /O2 one end/, Ledger.prototype, {
    settle(this: Insides, ...asked: Parameters<typeof settle>) {
      if (this.items.has(asked[0])) return settle.apply(this, asked);
      this.endTask(asked[0], asked[2]);
      return true;
    },
  }),
  mutation('B1, B2: retries have no budget', /O8 attempts/, retry, {
    decideRetry: (call: retry.FailedCall) =>
      call.failureClass === 'fatal' ? decideRetry(call) : { retry: true, delayMs: 100 },
  }),
  mutation("A5: one more may run than a plugin's limit", /A5 limits/, Limits.prototype, {
    isPluginFree(this: Limits, pluginId: string) {
      return this.running(pluginId) <= insidesOf(this).settings.plugin(pluginId).maxConcurrentTasks;
    },
  }),
  mutation("A5: one more may run than an owner's limit", /A5 limits/, Limits.prototype, {
    isOwnerFree(this: Limits, ownerId: string) {
      const { maxRunningPerOwner } = insidesOf(this).settings;
      return maxRunningPerOwner === 0 || this.runningOf(ownerId) <= maxRunningPerOwner;
    },
  }),
  mutation('A5: memory is taken to have room for every local backend', /A5 limits/, Seats.prototype, {
    hasFreeSeat: () => true,
  }),
  mutation('K: retries take every slot there is', /K retry budget/, Limits.prototype, {
    isWithinRetryBudget: () => true,
  }),
  mutation('A5: an ended request keeps its slot', /O5 accounting|O1/, Limits.prototype, { end: () => undefined }),
  mutation('A4: the queue is not bounded', /A4 capacity/, ReadyQueue.prototype, {
    enter(this: Insides, item: unknown) {
      this.place(this.add(item, false));
      return 'admitted';
    },
  }),
  mutation('A4: the door refuses after 9 s', /A4 refusal/, QueueDoor.prototype, {
    refuse(this: unknown, now: number) {
      return refuse.call(this, now + 1_000);
    },
  }),
  mutation('A4: nobody gives a place back', /A4 halves/, ReadyQueue.prototype, { halve: () => undefined }),
  mutation('A6: nobody ages', /A6 aging/, aging, {
    agedAt: ({ priority, enqueuedAt }: Parameters<typeof aging.agedAt>[0]) =>
      priority === 'high' ? enqueuedAt : Infinity,
  }),
  {
    name: 'C7: what a client was given is forgotten',
    caughtBy: /O3, O4 delivery/,
    install: () => {
      const given = Object.getOwnPropertyDescriptor(Delivery.prototype, 'given')!;
      Object.defineProperty(Delivery.prototype, 'given', { ...given, get: () => false });
      return () => Object.defineProperty(Delivery.prototype, 'given', given);
    },
  },
];

function mutation(name: string, caughtBy: RegExp, where: object, broken: Readonly<Record<string, unknown>>): Mutation {
  const install = (): (() => void) => {
    const whole = Object.fromEntries(Object.keys(broken).map((key) => [key, (where as Insides)[key]]));
    Object.assign(where, broken);
    return () => Object.assign(where, whole);
  };
  return { name, caughtBy, install };
}
