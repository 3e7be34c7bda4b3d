import { Entity, Index } from 'typeorm';
import type { OwnerRef } from '../records';
import { Integer, TextKey, Total } from './columns';

/**
 * What ended in one UTC day, added up where it ended. `writer` is the process that adds to the row:
 * two processes never wait for each other's rows. Empty texts stand for "none", as keys hold no nulls.
 */
@Entity('usage_days')
@Index('usage_days_account', ['accountId', 'day'])
export class UsageDayEntity {
  /** YYYY-MM-DD. */
  @TextKey() day!: string;
  @TextKey() accountId!: string;
  @TextKey() ownerKind!: OwnerRef['kind'];
  @TextKey() ownerId!: string;
  /** The name asked for. */
  @TextKey() model!: string;
  @TextKey() servedModel!: string;
  @TextKey() plugin!: string;
  @TextKey() writer!: string;
  @Integer() requests!: number;
  @Integer() completed!: number;
  @Integer() failed!: number;
  @Integer() cancelled!: number;
  @Integer() attempts!: number;
  @Total() promptTokens!: number;
  @Total() completionTokens!: number;
  @Total() cachedTokens!: number;
  @Total() reasoningTokens!: number;
  /** Sums and how many requests are in them: means are made when read. */
  @Total() queueMs!: number;
  @Integer() queued!: number;
  @Total() firstTokenMs!: number;
  @Integer() firstTokens!: number;
  /** First content to the end, and the tokens given in that time: their quotient is tokens a second. */
  @Total() outputMs!: number;
  @Total() outputTokens!: number;
}
