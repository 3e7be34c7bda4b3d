import { Entity } from 'typeorm';
import type { PluginStateRow } from '../records';
import { Flag, Integer, Json, Milliseconds, Text, TextKey } from './columns';

/** What SoAI has found out about a plugin (spec F5: separate states, separate columns). */
@Entity('plugin_states')
export class PluginStateEntity implements PluginStateRow {
  @TextKey() pluginId!: string;
  @Text() circuitState!: PluginStateRow['circuitState'];
  @Integer() circuitRevision!: number;
  @Json() failures!: readonly number[];
  @Integer() failureCount!: number;
  @Milliseconds({ nullable: true }) lastFailureAt!: number | null;
  @Milliseconds({ nullable: true }) retryAt!: number | null;
  @Text() health!: PluginStateRow['health'];
  @Integer() recoveryAttempts!: number;
  @Flag() flapping!: boolean;
  @Json() transitions!: readonly number[];
  @Milliseconds({ nullable: true }) lastPingAt!: number | null;
  @Text() quarantineState!: PluginStateRow['quarantineState'];
  @Text({ nullable: true }) quarantineReason!: string | null;
  @Milliseconds({ nullable: true }) quarantineSince!: number | null;
  @Milliseconds() updatedAt!: number;
}
