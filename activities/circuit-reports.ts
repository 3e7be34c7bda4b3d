/**
 * What this process owes the circuits for each request (spec E, K): one permit per request and plugin
 * before the first call there, one report after the last.
 */
import { countsForBreaker } from '../workflows/rules/routing-failure';
import type { FailureFacts } from '../workflows/rules/retry';
import type { Circuits, CircuitOutcome, Permit } from './circuits';

interface Stay {
  readonly permit: Permit;
  outcome: CircuitOutcome;
  code: string | null;
}

/** Ends that say nothing about the backend, whatever its last answer was. */
const CLIENTS_OWN = new Set(['client_disconnected', 'cancelled', 'cancelled_by_user', 'plugin_recovery']);

export class CircuitReports {
  /** Task → plugin → how it stands there. */
  private readonly stays = new Map<string, Map<string, Stay>>();

  constructor(private readonly circuits: Circuits) {}

  /** The permit of an earlier call of the same request is good for its retries. */
  async permit(taskId: string, pluginId: string): Promise<Permit> {
    const known = this.stays.get(taskId)?.get(pluginId);
    if (known) return known.permit;
    const permit = await this.circuits.permit(pluginId, taskId);
    if (permit.kind === 'refused') return permit;
    const ofTask = this.stays.get(taskId) ?? new Map<string, Stay>();
    this.stays.set(taskId, ofTask.set(pluginId, { permit, outcome: 'neutral', code: null }));
    return permit;
  }

  /** A call failed and another one there may follow. */
  failed(taskId: string, pluginId: string, failure: FailureFacts): void {
    const stay = this.stays.get(taskId)?.get(pluginId);
    if (!stay) return;
    stay.outcome = countsForBreaker(failure) ? 'failure' : 'neutral';
    stay.code = failure.kind;
  }

  /** The request is done there, well. */
  succeeded(taskId: string, pluginId: string): Promise<void> {
    const stay = this.stays.get(taskId)?.get(pluginId);
    if (stay) Object.assign(stay, { outcome: 'success', code: null });
    return this.leave(taskId, pluginId);
  }

  /** The request is done there; resolves when the circuit knows. */
  async leave(taskId: string, pluginId: string): Promise<void> {
    const ofTask = this.stays.get(taskId);
    const stay = ofTask?.get(pluginId);
    if (!ofTask || !stay) return;
    ofTask.delete(pluginId);
    if (ofTask.size === 0) this.stays.delete(taskId);
    await this.circuits.report(pluginId, stay.permit, stay.outcome, { code: stay.code });
  }

  /** It has gone from every other plugin to this one. */
  async leaveOthers(taskId: string, pluginId: string): Promise<void> {
    const others = [...(this.stays.get(taskId)?.keys() ?? [])].filter((id) => id !== pluginId);
    await Promise.all(others.map((id) => this.leave(taskId, id)));
  }

  /** The request has ended, or another process has it. `reason`: why it was ended early, or null. */
  async ended(taskId: string, reason: string | null): Promise<void> {
    const ofTask = this.stays.get(taskId);
    if (!ofTask) return;
    if (reason !== null && CLIENTS_OWN.has(reason)) for (const stay of ofTask.values()) stay.outcome = 'neutral';
    await Promise.all([...ofTask.keys()].map((pluginId) => this.leave(taskId, pluginId)));
  }
}
