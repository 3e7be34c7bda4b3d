import { Entity } from 'typeorm';
import type { PluginRow } from '../records';
import { Flag, Integer, Json, Milliseconds, Text, TextKey } from './columns';

@Entity('plugins')
export class PluginEntity implements PluginRow {
  @TextKey() id!: string;
  @Text() package!: string;
  @Json() settings!: Readonly<Record<string, unknown>>;
  @Integer() maxConcurrentTasks!: number;
  @Flag() enabled!: boolean;
  @Milliseconds() createdAt!: number;
}
