/** Writes down what breakers and guardians decided, tells this process, and logs each change with its cause. */
import type { Logger } from 'pino';
import type { StoredCircuit } from '../../store/records';
import type { Store } from '../../store/store';
import type { ControlActivities } from '../../workflows/contract';
import { retryAt, type BreakerSettings } from '../../workflows/rules/breaker';
import type { BreakerJournal } from '../../workflows/rules/breaker-journal';
import type { GuardianNote } from '../../workflows/rules/guardian';
import type { LiveCircuits } from '../live-circuits';
import type { PluginStates } from '../plugin-states';

export interface PublishingDeps {
  readonly store: Pick<Store, 'pluginStates' | 'lifecycle'>;
  readonly circuits: LiveCircuits;
  readonly states: PluginStates;
  readonly settings: BreakerSettings;
  readonly log: Logger;
  readonly now: () => number;
}

const CIRCUIT_KINDS = { closed: 'circuit_closed', open: 'circuit_opened', half_open: 'circuit_half_open' } as const;

export class Publishing {
  constructor(private readonly deps: PublishingDeps) {}

  async circuit({ pluginId, journal, transitions }: Parameters<ControlActivities['publishCircuit']>[0]): Promise<void> {
    const { store, circuits, settings, log, now } = this.deps;
    circuits.adopt(pluginId, journal);
    await store.pluginStates.putCircuit(pluginId, storedCircuit(journal, settings), now());
    for (const { from, to, at, cause } of transitions) {
      const level = to === 'open' ? 'warn' : 'info';
      log[level]({ plugin: pluginId, from, to, cause }, 'the circuit of a plugin changed');
      await store.lifecycle.append(CIRCUIT_KINDS[to], { plugin: pluginId, from, cause }, at);
    }
  }

  async guardian({ pluginId, state, notes }: Parameters<ControlActivities['publishGuardian']>[0]): Promise<void> {
    const { store, states, log, now } = this.deps;
    const { health, attempts, flapping, transitions, lastPingAt } = state;
    const stored = { health, recoveryAttempts: attempts, flapping, transitions, lastPingAt };
    await states.putGuardian(pluginId, stored, now());
    for (const note of notes) {
      log[levelOf(note)]({ plugin: pluginId, cause: note.cause }, `the guardian found a plugin ${note.what}`);
      await store.lifecycle.append(`plugin_${note.what}`, { plugin: pluginId, cause: note.cause }, note.at);
    }
  }
}

export function storedCircuit({ revision, state }: BreakerJournal, settings: BreakerSettings): StoredCircuit {
  return {
    circuitState: state.phase,
    circuitRevision: revision,
    failures: state.failures,
    failureCount: state.failures.length,
    lastFailureAt: state.lastFailureAt,
    retryAt: retryAt(state, settings),
  };
}

/** What the table keeps of a journal is enough to go on from; a probe under way is not. */
export function journalOfRow(row: StoredCircuit): BreakerJournal {
  return {
    version: 1,
    revision: row.circuitRevision,
    state: {
      phase: row.circuitState,
      failures: row.failures,
      lastFailureAt: row.lastFailureAt,
      clearedAt: 0,
      probe: null,
    },
    applied: {},
  };
}

function levelOf({ what }: GuardianNote): 'info' | 'warn' {
  return what === 'healthy' || what === 'steady' || what === 'quarantine_cleared' ? 'info' : 'warn';
}
