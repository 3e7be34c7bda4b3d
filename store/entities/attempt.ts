import { Entity, ForeignKey } from 'typeorm';
import type { AttemptOutcome } from '../records';
import { Integer, IntegerKey, Milliseconds, Text, TextKey } from './columns';
import { TaskEntity } from './task';

@Entity('attempts')
export class AttemptEntity {
  @TextKey() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @IntegerKey() number!: number;
  @Integer() fence!: number;
  @Text() modelId!: string;
  @Text() pluginId!: string;
  @Milliseconds() startedAt!: number;
  @Milliseconds({ nullable: true }) finishedAt!: number | null;
  @Text() outcome!: AttemptOutcome;
  @Text({ nullable: true }) code!: string | null;
  @Integer({ nullable: true }) httpStatus!: number | null;
  @Text({ nullable: true }) sentence!: string | null;
  @Milliseconds({ nullable: true }) retryDelayMs!: number | null;
}
