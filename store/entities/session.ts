import { Entity, ForeignKey, Index } from 'typeorm';
import type { Session } from '../records';
import { AccountEntity } from './account';
import { Milliseconds, Text, TextKey } from './columns';

@Entity('sessions')
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
export class SessionEntity implements Session {
  @TextKey() hash!: string;
  @Text() @ForeignKey(() => AccountEntity, { onDelete: 'CASCADE' }) accountId!: string;
  @Text() csrf!: string;
  @Milliseconds() createdAt!: number;
  @Milliseconds() expiresAt!: number;
}
