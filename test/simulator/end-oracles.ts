/** What must hold of every task, client and process once a world has come to rest (oracles O1-O5, O8). */
import { TERMINAL_STATES } from '../../workflows/contract';
import { DOOR_WAIT_MS } from '../../workflows/rules/ready-queue';
import { MAX_TAKEOVERS } from '../../workflows/rules/recovery';
import { attemptsIn } from './backend';
import type { SimulatedClient } from './client';
import type { AttemptRow, Ledger, TaskRow } from './ledger';
import { stateOf } from './queue-oracle';
import type { RunningCalls } from './running-calls';
import { LEASE_MS, RETRY, type SimulatedProcess, SWEEP_MS } from './simulated-process';
import type { Violations } from './violations';

/** C1: from a death to its work being back in the queue. */
export const BACK_IN_QUEUE_MS = LEASE_MS + SWEEP_MS + 1_000;
/** The scheduler's timers do not fire in the instant in which they are set. */
const TICK_MS = 1;

export interface World {
  readonly ledger: Ledger;
  readonly calls: RunningCalls;
  readonly clients: readonly SimulatedClient[];
  readonly processes: readonly SimulatedProcess[];
  readonly violations: Violations;
  /** When the last fault was over, restarts included. */
  readonly calmSince: number;
  /** That process was paused at some moment in between. */
  readonly wasFrozen: (incarnation: string, from: number, to: number) => boolean;
}

export function checkEnd(world: World): void {
  for (const task of world.ledger.tasks.values()) {
    checkTask(world, task);
    checkAttempts(world, task);
  }
  for (const client of world.clients) checkClient(world, client);
  for (const process of world.processes) checkProcess(world, process);
  if (world.ledger.items.size > 0) world.violations.report('O5 accounting', 'queue items are left');
  if (world.calls.size > 0) world.violations.report('O5 accounting', `${world.calls.size} calls are left`);
}

function checkTask({ violations, calmSince, wasFrozen }: World, task: TaskRow): void {
  const { id, state, reason, finishedAt, acceptedAt, deadlineAt, takeovers } = task;
  if (!TERMINAL_STATES.includes(state) || finishedAt === null) {
    return violations.report('O1 no loss', `${id} is still ${state}`);
  }
  const lateMs = finishedAt - Math.max(deadlineAt, calmSince) - BACK_IN_QUEUE_MS;
  if (lateMs > 0) violations.report('O1 in time', `${id} ended ${lateMs} ms too late`);
  if (state !== 'completed' && reason === null) violations.report('O2 reason', `${id} is ${state} for no reason`);
  if (takeovers > MAX_TAKEOVERS) violations.report('C1 poison', `${id} was taken over ${takeovers} times`);
  if (reason === 'poison_task' && takeovers !== MAX_TAKEOVERS) {
    violations.report('C1 poison', `${id} was called poison after ${takeovers} takeovers`);
  }
  if (reason !== 'queue_full') return;
  const waitedMs = finishedAt - acceptedAt;
  const late = waitedMs > DOOR_WAIT_MS + TICK_MS && !wasFrozen(task.incarnation, acceptedAt, finishedAt);
  if (waitedMs < DOOR_WAIT_MS || late) violations.report('A4 refusal', `${id} was refused after ${waitedMs} ms`);
}

function checkAttempts({ ledger, calls, violations }: World, { id, state, takeovers }: TaskRow): void {
  const attempts = ledger.attemptsOf(id);
  const nameOf = ({ target }: AttemptRow): string => `${target.pluginId}/${target.modelId}`;
  for (const target of new Set(attempts.map(nameOf))) {
    const ofTarget = attempts.filter((attempt) => nameOf(attempt) === target);
    const count = (outcome: AttemptRow['outcome']): number =>
      ofTarget.filter((each) => each.outcome === outcome).length;
    const [transient, limited] = [count('transient'), count('rate_limited')];
    const within =
      transient <= RETRY.transientRetries + 1 &&
      limited <= RETRY.rateLimitCalls &&
      transient + limited <= RETRY.maxCalls &&
      count('fatal') <= 1;
    if (!within) violations.report('O8 attempts', `${id} failed ${transient} + ${limited} times at ${target}`);
  }
  const lost = attempts.filter(({ outcome }) => outcome === 'lost').length;
  if (lost > takeovers + 1) violations.report('O8 attempts', `${id} lost ${lost} attempts in ${takeovers} takeovers`);
  if (calls.madeFor(id) > attempts.length) violations.report('O8 attempts', `${id} was called for without an attempt`);
  const last = attempts.at(-1);
  const answered = attempts.filter(({ outcome }) => outcome === 'ok');
  if (attempts.some(({ outcome }) => outcome === 'running')) violations.report('O5 accounting', `${id} still runs`);
  if (state !== 'completed') {
    if (answered.length > 0) violations.report('O2 one end', `${id} is ${state} after an answer`);
    return;
  }
  const stored = attemptsIn(ledger.answers.get(id)?.text ?? '');
  const fromLast = stored.length > 0 && stored.every((attempt) => attempt === last?.number);
  if (answered.length !== 1 || !fromLast) {
    violations.report('O2 fenced', `${id} holds the words of ${stored.join()}, its last attempt is ${last?.number}`);
  }
}

/** Ends that a client is told of while its task goes on: C1, C8. */
const GOES_ON = new Set(['lease_lost', 'shutting_down']);

function checkClient({ ledger, violations }: World, { taskId, outcome, heard, request }: SimulatedClient): void {
  const who = `the client of ${taskId ?? 'no task'}`;
  if (!outcome) return violations.report('O3 one outcome', `${who} still waits`);
  const task = taskId === null ? undefined : ledger.tasks.get(taskId);
  if (outcome.kind === 'answer' || outcome.kind === 'stream') {
    const last = taskId === null ? undefined : ledger.attemptsOf(taskId).at(-1)?.number;
    const whole = task?.state === 'completed' && last !== undefined && heard.has(last) && heard.size === 1;
    if (!whole) violations.report('O3 truthful', `${who} was given ${[...heard].join()}, which is not the answer`);
    if (request.stream !== (outcome.kind === 'stream'))
      violations.report('O3 truthful', `${who} got a ${outcome.kind}`);
  }
  if (outcome.kind === 'failed' && !GOES_ON.has(outcome.code) && task?.reason !== outcome.code) {
    violations.report('O3 truthful', `${who} was told ${outcome.code}, it is ${task?.state} ${task?.reason}`);
  }
}

function checkProcess({ violations }: World, process: SimulatedProcess): void {
  const { queue, limits, attempts, running, atDoor } = stateOf(process.scheduler);
  const held = (process.leases as unknown as { readonly held: ReadonlyMap<string, unknown> }).held;
  const { byPlugin, byOwner } = limits as unknown as Record<'byPlugin' | 'byOwner', ReadonlyMap<string, number>>;
  const left = {
    runs: process.runs.size,
    places: queue.size,
    door: queue.atDoor,
    doorWaiters: atDoor.size,
    attempts: attempts.size,
    running: running.size,
    leases: held.size,
    pluginSlots: byPlugin.size,
    ownerSlots: byOwner.size,
  };
  for (const [what, count] of Object.entries(left)) {
    if (count > 0) violations.report('O5 accounting', `${process.incarnation} is left with ${count} ${what}`);
  }
}
