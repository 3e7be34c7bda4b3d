import { Entity } from 'typeorm';
import { Integer, TextKey } from './columns';

/** Counts the changes of something that every process keeps in memory, so that a glance shows whether to read it again. */
@Entity('revisions')
export class RevisionEntity {
  @TextKey() subject!: string;
  @Integer() revision!: number;
}
