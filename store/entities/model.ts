import { Entity, Index } from 'typeorm';
import type { ModelRow } from '../records';
import { Flag, Integer, Json, Milliseconds, Text, TextKey } from './columns';

/** No foreign key to the plugin: it may be one that the settings file defines. */
@Entity('models')
@Index('models_plugin', ['pluginId'])
export class ModelEntity implements ModelRow {
  @TextKey() id!: string;
  @Text() pluginId!: string;
  @Text() upstreamModel!: string;
  @Json() aliases!: readonly string[];
  @Json() capabilities!: readonly string[];
  @Json() modalities!: readonly string[];
  @Integer({ nullable: true }) contextTokens!: number | null;
  @Flag() enabled!: boolean;
  @Milliseconds() createdAt!: number;
}
