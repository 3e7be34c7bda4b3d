/** The one door to the server's contract: types only, nothing of it is bundled. */
export type {
  Attempt,
  Health,
  List,
  LiveEvent,
  Plugin,
  QueueSnapshot,
  Session,
  SignIn,
  SystemInfo,
  Task,
  TaskDetail,
} from '../../../../api/contract/management';
