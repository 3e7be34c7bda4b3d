/**
 * The circuits of all plugins at work (spec E): the pure rule on what this process knows, the breaker
 * workflows for what all processes know together.
 */
import { randomUUID } from 'node:crypto';
import { successMatters, type BreakerEvent, type BreakerSettings } from '../workflows/rules/breaker';
import type { BreakerJournal } from '../workflows/rules/breaker-journal';
import { SLOW_START, slotsNow, slowStartAfter, type SlowStart } from '../workflows/rules/slow-start';
import { CircuitChannel, type SendReport } from './circuit-channel';
import { CircuitReplica } from './circuit-replica';
import type { Circuits, CircuitOutcome, CircuitView, Permit } from './circuits';

export interface LiveCircuitsOptions {
  readonly settings: BreakerSettings;
  /** This process. */
  readonly source: string;
  readonly send: SendReport;
  /** The engine did not confirm a failure in time, and this process holds the circuit open by itself. */
  readonly onOpenAlone?: (pluginId: string, view: CircuitView) => void;
  readonly now?: () => number;
}

interface Circuit {
  readonly replica: CircuitReplica;
  readonly channel: CircuitChannel;
  told: CircuitView;
  timer: NodeJS.Timeout | null;
  /** F8: null at full speed. */
  slowStart: SlowStart | null;
}

/** E: past it the local decision stands and is reconciled later. */
const ANSWER_LIMIT_MS = 1_000;
/** Node's timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class LiveCircuits implements Circuits {
  private readonly circuits = new Map<string, Circuit>();
  private readonly listeners = new Set<(pluginId: string, view: CircuitView) => void>();
  private readonly now: () => number;

  constructor(private readonly options: LiveCircuitsOptions) {
    this.now = options.now ?? Date.now;
  }

  view(pluginId: string): CircuitView {
    return this.circuit(pluginId).replica.view(this.now());
  }

  async permit(pluginId: string, taskId: string): Promise<Permit> {
    const { replica, channel } = this.circuit(pluginId);
    const view = replica.view(this.now());
    if (view.state === 'closed') return { kind: 'closed' };
    if (view.state === 'open' || view.probing) return { kind: 'refused', view };
    const token = `${taskId}:${randomUUID()}`;
    const asked = this.note(pluginId, { type: 'permit', at: this.now(), token });
    await channel.confirmed(asked, ANSWER_LIMIT_MS);
    const { state } = replica.journal(this.now());
    if (state.probe?.token === token) return { kind: 'probe', token };
    return state.phase === 'closed' ? { kind: 'closed' } : { kind: 'refused', view: replica.view(this.now()) };
  }

  async report(
    pluginId: string,
    permit: Permit,
    outcome: CircuitOutcome,
    { code }: { readonly code: string | null },
  ): Promise<void> {
    if (permit.kind === 'refused') return;
    const circuit = this.circuit(pluginId);
    const token = permit.kind === 'probe' ? permit.token : null;
    const at = this.now();
    if (circuit.slowStart) circuit.slowStart = slowStartAfter(circuit.slowStart, outcome);
    if (outcome === 'failure') {
      const failed = this.note(pluginId, { type: 'failure', at, token, cause: code ?? 'failed' });
      await circuit.channel.confirmed(failed, ANSWER_LIMIT_MS);
      const view = this.view(pluginId);
      if (view.state === 'open' && !circuit.replica.isConfirmed(failed)) this.options.onOpenAlone?.(pluginId, view);
    } else if (outcome === 'success') {
      const matters = token !== null || successMatters(circuit.replica.journal(at).state);
      if (matters) this.send(pluginId, { type: 'success', at, token });
    } else if (token !== null) this.send(pluginId, { type: 'neutral', at, token });
  }

  answering(pluginId: string, permit: Permit, until: number): void {
    if (permit.kind !== 'probe') return;
    this.send(pluginId, { type: 'answering', at: this.now(), token: permit.token, until });
  }

  /** E5: an operator's reset, or that of a start (E4). */
  async reset(pluginId: string, cause: string): Promise<void> {
    const reset = this.note(pluginId, { type: 'reset', at: this.now(), cause });
    await this.circuit(pluginId).channel.confirmed(reset, ANSWER_LIMIT_MS);
  }

  /** F3: opens it whatever its count. */
  async trip(pluginId: string, cause: string): Promise<void> {
    const trip = this.note(pluginId, { type: 'trip', at: this.now(), cause });
    await this.circuit(pluginId).channel.confirmed(trip, ANSWER_LIMIT_MS);
  }

  slotsOf(pluginId: string, slots: number): number {
    return slotsNow(this.circuits.get(pluginId)?.slowStart ?? null, slots);
  }

  onChange(listener: (pluginId: string, view: CircuitView) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The workflow's state, come by a publication or read from the database. */
  adopt(pluginId: string, journal: BreakerJournal): void {
    this.circuit(pluginId).channel.adopt(journal);
  }

  /** What a breaker workflow starts from. */
  journalOf(pluginId: string): BreakerJournal {
    return this.circuit(pluginId).replica.answer;
  }

  /** Plugins with something the engine has not confirmed, and their state with it included. */
  unconfirmed(): readonly { readonly pluginId: string; readonly journal: BreakerJournal }[] {
    return [...this.circuits]
      .filter(([, { replica }]) => replica.unconfirmed.length > 0)
      .map(([pluginId, { replica }]) => ({ pluginId, journal: replica.journal(this.now()) }));
  }

  /** The engine is back. */
  flush(): void {
    for (const { channel } of this.circuits.values()) void channel.flush();
  }

  /** The plugin is gone; one that is made under its id starts closed. */
  forget(pluginId: string): void {
    const known = this.circuits.get(pluginId);
    this.circuits.delete(pluginId);
    if (known) silence(known);
  }

  stop(): void {
    for (const circuit of this.circuits.values()) silence(circuit);
  }

  private circuit(pluginId: string): Circuit {
    const known = this.circuits.get(pluginId);
    if (known) return known;
    const { settings, source, send } = this.options;
    const replica = new CircuitReplica(source, settings);
    const channel = new CircuitChannel(pluginId, replica, send, () => this.tell(pluginId));
    const circuit: Circuit = { replica, channel, told: replica.view(this.now()), timer: null, slowStart: null };
    this.circuits.set(pluginId, circuit);
    return circuit;
  }

  private note(pluginId: string, event: BreakerEvent): ReturnType<CircuitReplica['note']> {
    const noted = this.circuit(pluginId).replica.note(event);
    this.tell(pluginId);
    return noted;
  }

  private send(pluginId: string, event: BreakerEvent): void {
    this.note(pluginId, event);
    void this.circuit(pluginId).channel.flush();
  }

  /** Tells what changed, and looks again when time alone will have changed something. */
  private tell(pluginId: string): void {
    const circuit = this.circuit(pluginId);
    const now = this.now();
    const view = circuit.replica.view(now);
    if (circuit.timer) clearTimeout(circuit.timer);
    const next = circuit.replica.nextChangeAt(now);
    circuit.timer = next === null ? null : setTimeout(() => this.tell(pluginId), timerMs(next - now));
    circuit.timer?.unref();
    const before = circuit.told;
    if (sameView(before, view)) return;
    circuit.told = view;
    if (before.state !== 'closed' && view.state === 'closed') circuit.slowStart = SLOW_START;
    if (view.state !== 'closed') circuit.slowStart = null;
    for (const listener of this.listeners) listener(pluginId, view);
  }
}

function silence({ channel, timer }: Circuit): void {
  channel.stop();
  if (timer) clearTimeout(timer);
}

function timerMs(ms: number): number {
  return Math.min(LONGEST_TIMER_MS, Math.max(1, ms));
}

function sameView(one: CircuitView, other: CircuitView): boolean {
  return (
    one.state === other.state &&
    one.failureCount === other.failureCount &&
    one.lastFailureAt === other.lastFailureAt &&
    one.retryAt === other.retryAt &&
    one.probing === other.probing
  );
}
