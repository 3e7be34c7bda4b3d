import { Entity, ForeignKey, Index } from 'typeorm';
import { Flag, Integer, Milliseconds, Text, TextKey } from './columns';
import { TaskEntity } from './task';

/**
 * Exists exactly while its task is not terminal (spec A1, C1), so the table stays small however
 * many tasks have finished. It is the one row that claims, cancels and take-overs contend for.
 */
@Entity('queue_items')
@Index('queue_items_order', ['enqueuedAt', 'taskId'])
export class QueueItemEntity {
  @TextKey() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @Milliseconds() enqueuedAt!: number;
  /** The process that is to run it. */
  @Text() incarnation!: string;
  /** Who holds the lease; null: nobody. */
  @Text({ nullable: true }) holder!: string | null;
  @Milliseconds({ nullable: true }) leaseUntil!: number | null;
  /** Grows with each claim and take-over; 0 before the first. */
  @Integer() fence!: number;
  /** How many attempts were opened. */
  @Integer() attempts!: number;
  @Flag() cancelRequested!: boolean;
  /** The plugin and the owner it counts for while somebody holds it (A5); null: not counted. */
  @Text({ nullable: true }) pluginSeat!: string | null;
  @Text({ nullable: true }) ownerSeat!: string | null;
}
