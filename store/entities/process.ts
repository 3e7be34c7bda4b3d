import { Entity } from 'typeorm';
import type { ProcessRow } from '../records';
import { Integer, Milliseconds, Text, TextKey } from './columns';

@Entity('processes')
export class ProcessEntity implements ProcessRow {
  @TextKey() incarnation!: string;
  @Integer() pid!: number;
  @Text() host!: string;
  @Milliseconds() startedAt!: number;
  @Milliseconds() heartbeatAt!: number;
  @Milliseconds({ nullable: true }) stoppedAt!: number | null;
}
