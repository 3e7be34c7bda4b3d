import { Entity } from 'typeorm';
import type { SeatScope } from '../records';
import { Integer, TextKey } from './columns';

/** How many of a plugin's or an owner's tasks run, over all processes (spec A5). */
@Entity('seat_counts')
export class SeatCountEntity {
  @TextKey() scope!: SeatScope;
  @TextKey() id!: string;
  @Integer() n!: number;
}
