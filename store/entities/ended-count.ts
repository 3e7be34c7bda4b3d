import { Entity } from 'typeorm';
import { Integer, TextKey } from './columns';

/** How many tasks have ended in each way, so that nobody has to count their rows. */
@Entity('ended_counts')
export class EndedCountEntity {
  @TextKey() state!: 'completed' | 'failed' | 'cancelled';
  @Integer() n!: number;
}
