import { Entity, ForeignKey, Index } from 'typeorm';
import { Integer, Milliseconds, Text, TextKey } from './columns';
import { TaskEntity } from './task';

/**
 * A stored response of the Responses API: what its id stands for and who may see it. Its input is its
 * task's request, the context of earlier turns in front; its output is its task's answer. Both have to
 * be kept as long as this row.
 */
@Entity('responses')
@Index('responses_task', ['taskId'], { unique: true })
export class ResponseEntity {
  @TextKey() id!: string;
  @Text() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @Text() accountId!: string;
  @Text({ nullable: true }) previousId!: string | null;
  /** How many items at the front of the request's input are the context of earlier turns. */
  @Integer() contextItems!: number;
  @Milliseconds() createdAt!: number;
}
