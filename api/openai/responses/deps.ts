/** What the responses routes work with. */
import type { Logger } from 'pino';
import type { ResponseLogs } from '../../../activities/response-logs';
import type { TaskFeed } from '../../../activities/task-feed';
import type { Store } from '../../../store/store';
import type { InferenceDeps } from '../infer';
import type { StoredResponses } from './stored-responses';

export interface ResponsesDeps extends InferenceDeps {
  readonly store: Store;
  readonly feed: TaskFeed;
  readonly logs: ResponseLogs;
  readonly responses: StoredResponses;
  readonly log: Logger;
  /** Of a request with all it refers to, in bytes of JSON. */
  readonly maxBodyBytes: number;
}
