import type { Access } from './access';
import { PluginStateEntity } from './entities/plugin-state';
import { plain, plainOrNull } from './plain';
import type { PluginStateRow, StoredCircuit, StoredGuardian, StoredQuarantine } from './records';
import type { Sql, Value } from './sql';
import type { PluginStates } from './store';

const FRESH: Omit<PluginStateRow, 'pluginId' | 'updatedAt'> = {
  circuitState: 'closed',
  circuitRevision: 0,
  failures: [],
  failureCount: 0,
  lastFailureAt: null,
  retryAt: null,
  health: 'unknown',
  recoveryAttempts: 0,
  flapping: false,
  transitions: [],
  lastPingAt: null,
  quarantineState: 'none',
  quarantineReason: null,
  quarantineSince: null,
};

/** The row may not be there yet; two processes may find that out at once. */
async function ensure({ manager }: Sql, pluginId: string, updatedAt: number): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(PluginStateEntity)
    .values({ pluginId, ...FRESH, updatedAt })
    .orIgnore()
    .execute();
}

const CIRCUIT = `UPDATE plugin_states SET circuit_state = $2, circuit_revision = $3, failures = $4, failure_count = $5,
  last_failure_at = $6, retry_at = $7, updated_at = $8 WHERE plugin_id = $1 AND circuit_revision <= $3`;

const RESET = `UPDATE plugin_states SET circuit_state = 'closed', circuit_revision = circuit_revision + 1,
  failures = '[]', failure_count = 0, last_failure_at = NULL, retry_at = NULL, updated_at = $1
  WHERE circuit_state <> 'closed' OR failure_count > 0`;

const circuitValues = (pluginId: string, circuit: StoredCircuit, at: number): Value[] => [
  pluginId,
  circuit.circuitState,
  circuit.circuitRevision,
  JSON.stringify(circuit.failures),
  circuit.failureCount,
  circuit.lastFailureAt,
  circuit.retryAt,
  at,
];

export const pluginStatesOver = ({ read, write }: Access): PluginStates => {
  const change = (pluginId: string, part: StoredGuardian | StoredQuarantine, at: number): Promise<void> =>
    write(async (sql) => {
      await ensure(sql, pluginId, at);
      await sql.manager.update(PluginStateEntity, { pluginId }, { ...part, updatedAt: at });
    });
  return {
    list: () =>
      read(async ({ manager }) => (await manager.find(PluginStateEntity, { order: { pluginId: 'ASC' } })).map(plain)),

    get: (pluginId) =>
      read(async ({ manager }) => plainOrNull(await manager.findOne(PluginStateEntity, { where: { pluginId } }))),

    putCircuit: (pluginId, circuit, at) =>
      write(async (sql) => {
        await ensure(sql, pluginId, at);
        return (await sql.run(CIRCUIT, circuitValues(pluginId, circuit, at))) === 1;
      }),

    putGuardian: change,
    putQuarantine: change,

    resetCircuits: (at) =>
      write(async (sql) => {
        const open = await sql.rows<{ plugin_id: string; circuit_state: string }>(
          "SELECT plugin_id, circuit_state FROM plugin_states WHERE circuit_state <> 'closed' ORDER BY plugin_id",
        );
        await sql.run(RESET, [at]);
        return open.map((row) => ({ pluginId: row.plugin_id, from: row.circuit_state as 'open' | 'half_open' }));
      }),

    remove: (pluginId) =>
      write(async ({ manager }) => (await manager.delete(PluginStateEntity, { pluginId })).affected === 1),
  };
};
