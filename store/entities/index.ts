import { AccountEntity } from './account';
import { ApiKeyEntity } from './api-key';
import { AttemptEntity } from './attempt';
import { EndedCountEntity } from './ended-count';
import { DownloadEntity } from './download';
import { IdempotencyKeyEntity } from './idempotency-key';
import { LifecycleEventEntity } from './lifecycle-event';
import { ModelEntity } from './model';
import { ModelNameEntity } from './model-name';
import { PluginEntity } from './plugin';
import { PluginStateEntity } from './plugin-state';
import { PluginPackageEntity } from './plugin-package';
import { ProcessEntity } from './process';
import { QueueItemEntity } from './queue-item';
import { ResponseEntity } from './response';
import { ResponseEventEntity } from './response-event';
import { RevisionEntity } from './revision';
import { SeatCountEntity } from './seat-count';
import { SessionEntity } from './session';
import { SetupTokenEntity } from './setup-token';
import { TaskEntity } from './task';
import { TaskAnswerEntity } from './task-answer';
import { TaskRequestEntity } from './task-request';
import { UsageDayEntity } from './usage-day';
import { VirtualModelEntity } from './virtual-model';

export const entities = [
  AccountEntity,
  ApiKeyEntity,
  AttemptEntity,
  EndedCountEntity,
  DownloadEntity,
  IdempotencyKeyEntity,
  LifecycleEventEntity,
  ModelEntity,
  ModelNameEntity,
  PluginEntity,
  PluginStateEntity,
  PluginPackageEntity,
  ProcessEntity,
  QueueItemEntity,
  ResponseEntity,
  ResponseEventEntity,
  RevisionEntity,
  SeatCountEntity,
  SessionEntity,
  SetupTokenEntity,
  TaskEntity,
  TaskAnswerEntity,
  TaskRequestEntity,
  UsageDayEntity,
  VirtualModelEntity,
];
