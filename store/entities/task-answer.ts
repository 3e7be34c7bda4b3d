import { Entity, ForeignKey } from 'typeorm';
import { Text, TextKey } from './columns';
import { TaskEntity } from './task';

/** What the backend answered, apart from the task so that retention can drop it first. */
@Entity('task_answers')
export class TaskAnswerEntity {
  @TextKey() @ForeignKey(() => TaskEntity, { onDelete: 'CASCADE' }) taskId!: string;
  @Text() contentType!: string;
  @Text() body!: string;
}
