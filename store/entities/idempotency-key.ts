import { Entity, Index } from 'typeorm';
import { Milliseconds, Text, TextKey } from './columns';

/**
 * Spec A9: a key's scope is its owner and route. No foreign key to the task, because the binding is
 * written first: winning it is what decides a race between two processes.
 */
@Entity('idempotency_keys')
@Index('idempotency_keys_task', ['taskId'])
@Index('idempotency_keys_expiry', ['expiresAt'])
export class IdempotencyKeyEntity {
  @TextKey() ownerId!: string;
  @TextKey() route!: string;
  @TextKey() key!: string;
  @Text() taskId!: string;
  @Text() bodyHash!: string;
  @Milliseconds() expiresAt!: number;
}
