import { Entity, Index } from 'typeorm';
import type { Account } from '../records';
import { Flag, Milliseconds, Text, TextKey } from './columns';

@Entity('accounts')
@Index('accounts_name', ['name'], { unique: true })
export class AccountEntity implements Account {
  @TextKey() id!: string;
  @Text() name!: string;
  @Text() role!: Account['role'];
  @Text({ nullable: true }) passwordHash!: string | null;
  @Flag() disabled!: boolean;
  @Milliseconds() createdAt!: number;
}
