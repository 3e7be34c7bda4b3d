import { Entity, Index } from 'typeorm';
import type { DownloadRow } from '../records';
import { Milliseconds, Text, TextKey } from './columns';

@Entity('downloads')
@Index('downloads_creation', ['createdAt', 'id'])
export class DownloadEntity implements DownloadRow {
  @TextKey() id!: string;
  @Text() pluginId!: string;
  @Text() fileName!: string;
  @Text() place!: string;
  @Text({ nullable: true }) url!: string | null;
  @Text({ nullable: true }) sha256!: string | null;
  @Text() state!: DownloadRow['state'];
  @Milliseconds() receivedBytes!: number;
  @Milliseconds({ nullable: true }) totalBytes!: number | null;
  @Text({ nullable: true }) reason!: string | null;
  @Text({ nullable: true }) sentence!: string | null;
  @Milliseconds() createdAt!: number;
  @Milliseconds() updatedAt!: number;
  @Milliseconds({ nullable: true }) finishedAt!: number | null;
}
