import { Entity, ForeignKey, Index } from 'typeorm';
import type { ApiKey } from '../records';
import { AccountEntity } from './account';
import { Milliseconds, Text, TextKey } from './columns';

@Entity('api_keys')
@Index('api_keys_hash', ['hash'], { unique: true })
@Index('api_keys_account', ['accountId'])
export class ApiKeyEntity implements ApiKey {
  @TextKey() id!: string;
  @Text() name!: string;
  @Text() @ForeignKey(() => AccountEntity, { onDelete: 'CASCADE' }) accountId!: string;
  @Text() prefix!: string;
  @Text() hash!: string;
  @Milliseconds() createdAt!: number;
  @Milliseconds({ nullable: true }) expiresAt!: number | null;
  @Milliseconds({ nullable: true }) revokedAt!: number | null;
  @Milliseconds({ nullable: true }) lastUsedAt!: number | null;
}
