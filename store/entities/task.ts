import { Entity, Index } from 'typeorm';
import type { Priority, Operation, TaskState } from '../../workflows/contract';
import type { OwnerRef, PlanEntry, Usage } from '../records';
import { Flag, Integer, Json, Milliseconds, Text, TextKey } from './columns';

/**
 * One accepted request for good (spec A1). Each filter of the task list has an index that ends in
 * (accepted_at, id), the list's order.
 */
@Entity('tasks')
@Index('tasks_acceptance', ['acceptedAt', 'id'])
@Index('tasks_state', ['state', 'acceptedAt', 'id'])
@Index('tasks_owner', ['ownerId', 'acceptedAt', 'id'])
@Index('tasks_account', ['accountId', 'acceptedAt', 'id'])
@Index('tasks_plugin', ['pluginId', 'acceptedAt', 'id'])
@Index('tasks_model', ['model', 'acceptedAt', 'id'])
export class TaskEntity {
  @TextKey() id!: string;
  @Text() operation!: Operation;
  @Text() state!: TaskState;
  @Text({ nullable: true }) reason!: string | null;
  @Text({ nullable: true }) sentence!: string | null;
  @Text() ownerKind!: OwnerRef['kind'];
  @Text() ownerId!: string;
  @Text() accountId!: string;
  @Text() model!: string;
  @Json() plan!: readonly PlanEntry[];
  /** The plugin it was last given to; before the first claim, the plan's first. */
  @Text({ nullable: true }) pluginId!: string | null;
  @Text({ nullable: true }) servedModel!: string | null;
  @Text({ nullable: true }) servedPlugin!: string | null;
  @Text() priority!: Priority;
  @Flag() stream!: boolean;
  @Flag() background!: boolean;
  @Text() requestId!: string;
  @Milliseconds() acceptedAt!: number;
  @Milliseconds() deadlineAt!: number;
  @Milliseconds({ nullable: true }) startedAt!: number | null;
  @Milliseconds({ nullable: true }) finishedAt!: number | null;
  @Milliseconds() updatedAt!: number;
  @Text() incarnation!: string;
  @Integer() takeovers!: number;
  @Milliseconds({ nullable: true }) cancelRequestedAt!: number | null;
  @Text({ nullable: true }) cancelReason!: string | null;
  @Flag() given!: boolean;
  @Integer() badLines!: number;
  @Json({ nullable: true }) usage!: Usage | null;
  @Milliseconds({ nullable: true }) firstTokenMs!: number | null;
  @Milliseconds({ nullable: true }) queueMs!: number | null;
}
