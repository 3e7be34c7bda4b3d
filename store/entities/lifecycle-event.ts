import { Entity, PrimaryGeneratedColumn } from 'typeorm';
import { Json, Milliseconds, Text } from './columns';

/** Starts, stops and what recovery did about them (spec C3, C4). */
@Entity('lifecycle_events')
export class LifecycleEventEntity {
  /** The order they happened in; two can share a millisecond. */
  @PrimaryGeneratedColumn({ type: 'integer' }) id!: number;
  @Text() kind!: string;
  @Json() detail!: Record<string, unknown>;
  @Milliseconds() at!: number;
}
