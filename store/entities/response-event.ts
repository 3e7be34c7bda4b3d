import { Entity, ForeignKey } from 'typeorm';
import { Integer, IntegerKey, Text, TextKey } from './columns';
import { TaskEntity } from './task';

/**
 * A batch of events of a background stream. Sequence numbers go on over attempts, so that a number tells
 * which attempt it is of.
 */
@Entity('response_events')
export class ResponseEventEntity {
  @TextKey() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @IntegerKey() firstSequence!: number;
  @Integer() lastSequence!: number;
  /** 1, 2, …: which run of the task gave them. */
  @Integer() attempt!: number;
  /** JSON: [event, data] of each, in order. */
  @Text() events!: string;
}
