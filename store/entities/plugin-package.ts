import { Entity } from 'typeorm';
import type { PluginPackageRow } from '../records';
import { Json, Milliseconds, Text, TextKey } from './columns';

@Entity('plugin_packages')
export class PluginPackageEntity implements PluginPackageRow {
  @TextKey() digest!: string;
  @Text() name!: string;
  @Text() version!: string;
  @Json() manifest!: unknown;
  @Json() files!: Readonly<Record<string, string>>;
  @Text() source!: string;
  @Milliseconds() installedAt!: number;
}
