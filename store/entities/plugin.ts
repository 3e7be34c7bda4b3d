import { Entity } from 'typeorm';
import type { PluginOptions, PluginRow } from '../records';
import { Flag, Integer, Json, Milliseconds, Text, TextKey } from './columns';

@Entity('plugins')
export class PluginEntity implements PluginRow {
  @TextKey() id!: string;
  @Text() package!: string;
  @Json() settings!: Readonly<Record<string, unknown>>;
  @Integer() maxConcurrentTasks!: number;
  @Flag() enabled!: boolean;
  @Json({ nullable: true }) options!: PluginOptions | null;
  @Text({ nullable: true }) clonedFrom!: string | null;
  @Text({ nullable: true }) packageDigest!: string | null;
  @Json({ nullable: true }) files!: Readonly<Record<string, string>> | null;
  @Milliseconds() createdAt!: number;
}
