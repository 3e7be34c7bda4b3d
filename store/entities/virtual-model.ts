import { Entity } from 'typeorm';
import type { VirtualModelRow } from '../records';
import { Flag, Json, Milliseconds, Text, TextKey } from './columns';

/** No foreign keys to the members: they may be models that the settings file defines. */
@Entity('virtual_models')
export class VirtualModelEntity implements VirtualModelRow {
  @TextKey() name!: string;
  @Text() strategy!: VirtualModelRow['strategy'];
  @Json() members!: readonly string[];
  @Flag() enabled!: boolean;
  @Milliseconds() createdAt!: number;
  @Milliseconds() updatedAt!: number;
}
