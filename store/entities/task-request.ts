import { Entity, ForeignKey } from 'typeorm';
import { Text, TextKey } from './columns';
import { TaskEntity } from './task';

/** The client's body, apart from the task so that retention can drop it first. */
@Entity('task_requests')
export class TaskRequestEntity {
  @TextKey() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @Text() body!: string;
}
