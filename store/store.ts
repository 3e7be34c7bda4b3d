/**
 * The store as the other rooms see it: one repository a concern, the same on SQLite and PostgreSQL.
 * `openStore` in `open-store.ts` makes one.
 *
 * Writers: every write is one unit of the grouped writer (`group-commit.ts`): it is durable when
 * its promise resolves, and a failing unit never fails its neighbours.
 */
import type {
  Account,
  AcceptOutcome,
  Answer,
  ApiKey,
  AttemptEnd,
  AttemptRecord,
  Claim,
  DownloadEnd,
  DownloadRow,
  ModelRow,
  NewTask,
  OwnerRef,
  PlanEntry,
  PluginPackageRow,
  PluginRow,
  PluginStateRow,
  ProcessRow,
  Seat,
  ResponseEventBatch,
  ResponseRecord,
  Session,
  Settlement,
  StoredResponseEvent,
  StoredCircuit,
  StoredGuardian,
  StoredQuarantine,
  TaskRecord,
  VirtualModelRow,
} from './records';
import type { Target, TaskState } from '../workflows/contract';

export interface TaskFilter {
  readonly state?: TaskState;
  readonly ownerId?: string;
  /** Only this account's tasks (everything its keys and automations own). */
  readonly accountId?: string;
  readonly pluginId?: string;
  readonly model?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export interface Tasks {
  /**
   * A1 and A3 in one transaction: task, request body, queue item and idempotency key, or nothing.
   * `hardLimit` 0 means none. Concurrent calls can't overshoot it.
   */
  accept(task: NewTask, hardLimit: number): Promise<AcceptOutcome>;
  get(id: string): Promise<TaskRecord | null>;
  list(filter: TaskFilter): Promise<Page<TaskRecord>>;
  /** The stored request body, or null when it is gone. */
  requestBody(id: string): Promise<string | null>;
  answer(id: string): Promise<Answer | null>;
  attempts(id: string): Promise<readonly AttemptRecord[]>;
  /** Marks the wish; returns the task as it is then. Null: unknown. Terminal tasks stay as they are. */
  requestCancel(id: string, reason: string, at: number): Promise<TaskRecord | null>;
  /** Deferred or queued again, e.g. while a backoff runs; a no-op on terminal tasks. */
  setWaiting(id: string, state: 'queued' | 'deferred', reason: string | null, at: number): Promise<void>;
  /** The plan as routing has it now; a no-op on terminal tasks. */
  setPlan(id: string, plan: readonly PlanEntry[], at: number): Promise<void>;
  markGiven(id: string, at: number): Promise<void>;
  /**
   * Ends a task of this process whatever its lease (refusals, cancels). False: it had ended already, or
   * is another process's by now.
   */
  settle(id: string, incarnation: string, settlement: Settlement): Promise<boolean>;
  /** Frees the task's idempotency key: a retryable refusal must not bind it (A9). */
  unbindIdempotency(id: string): Promise<void>;
  countByState(): Promise<Readonly<Record<TaskState, number>>>;
  /** Non-terminal tasks in the order they were accepted; `after` is the id of the last one seen. */
  open(limit: number, after?: string): Promise<readonly TaskRecord[]>;
  /** A9: drops the idempotency keys whose time is over; tells how many. */
  forgetExpiredKeys(now: number): Promise<number>;
}

export interface Standing {
  /** Its end was asked for, perhaps in another process. */
  readonly cancelRequested: boolean;
}

export interface Queue {
  /**
   * C1: takes the lease in one conditional statement and opens the attempt row in the same unit.
   * Null: it has ended, its cancellation is requested, or another process is to run it. With `seats`
   * (A5) it takes those too, or throws `SeatTaken` and writes nothing.
   */
  claim(
    taskId: string,
    target: Target,
    holder: string,
    now: number,
    leaseMs: number,
    seats?: readonly Seat[],
  ): Promise<Claim | null>;
  /** A5: counts the seats anew from the leases. */
  recountSeats(): Promise<void>;
  /** One statement for all of this process's leases. Returns the ids still held. */
  renew(holder: string, taskIds: readonly string[], now: number, leaseMs: number): Promise<readonly string[]>;
  /**
   * Closes the attempt and gives the lease back without ending the task (a retry or a next member
   * follows). False: the fence is old, nothing was written.
   */
  release(taskId: string, fence: number, end: AttemptEnd): Promise<boolean>;
  /** Closes the attempt and ends the task, dropping its queue item. False: old fence or ended. */
  finish(taskId: string, fence: number, end: AttemptEnd, settlement: Settlement): Promise<boolean>;
  /**
   * Those of the tasks that are open and this process's to run; the rest have ended or moved to
   * another process. One statement for all.
   */
  standing(incarnation: string, taskIds: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
  /**
   * Non-terminal tasks that nobody is running: the lease has expired or its holder is recorded as
   * stopped, or there is none and the process that is to run it has stopped or has not beaten for
   * `staleProcessMs` (30,000).
   */
  orphans(now: number, limit: number, staleProcessMs?: number): Promise<readonly TaskRecord[]>;
  /** Ends a task if it is an orphan as told by `orphans`. False: it has ended, or somebody is running it. */
  endOrphan(taskId: string, settlement: Settlement, now: number, staleProcessMs?: number): Promise<boolean>;
  /**
   * Makes this process the owner of an orphan, once: bumps the fence (so the old run's result is
   * dropped) and, when it was being run as its holder went, takeovers. False: somebody else was faster, or it has ended.
   */
  takeOver(taskId: string, incarnation: string, now: number, staleProcessMs?: number): Promise<boolean>;
}

export interface Accounts {
  get(id: string): Promise<Account | null>;
  byName(name: string): Promise<Account | null>;
  list(): Promise<readonly Account[]>;
  /** Creates `admin` (administrator, no password) when no account exists. Returns it. */
  ensureAdmin(now: number): Promise<Account>;
  create(account: Account): Promise<void>;
  setPassword(id: string, passwordHash: string): Promise<void>;
}

export interface Keys {
  create(key: ApiKey): Promise<void>;
  byHash(hash: string): Promise<ApiKey | null>;
  list(accountId?: string): Promise<readonly ApiKey[]>;
  /** False: unknown or revoked before. */
  revoke(id: string, at: number): Promise<boolean>;
  touch(ids: readonly string[], at: number): Promise<void>;
}

export interface Sessions {
  create(session: Session): Promise<void>;
  byHash(hash: string): Promise<Session | null>;
  remove(hash: string): Promise<void>;
  removeAllOf(accountId: string): Promise<void>;
  removeExpired(now: number): Promise<void>;
  /** One-time setup link: stores the hash of a new token, dropping older ones. */
  putSetupToken(hash: string, expiresAt: number): Promise<void>;
  /** True once, for a live token. */
  useSetupToken(hash: string, now: number): Promise<boolean>;
}

export interface Processes {
  register(row: ProcessRow): Promise<void>;
  heartbeat(incarnation: string, at: number): Promise<void>;
  stopped(incarnation: string, at: number): Promise<void>;
  list(): Promise<readonly ProcessRow[]>;
}

export interface Lifecycle {
  append(kind: string, detail: Readonly<Record<string, unknown>>, at: number): Promise<void>;
  list(limit: number): Promise<readonly { kind: string; detail: Record<string, unknown>; at: number }[]>;
}

export interface Catalogue {
  plugins(): Promise<readonly PluginRow[]>;
  putPlugin(row: PluginRow): Promise<void>;
  removePlugin(id: string): Promise<boolean>;
  models(): Promise<readonly ModelRow[]>;
  /** Ids, aliases and virtual models share one name space (D2): ConstraintViolation when a name is taken there. */
  addModel(row: ModelRow): Promise<void>;
  /** False: there is none of that id. ConstraintViolation: a new alias is taken. */
  changeModel(row: ModelRow): Promise<boolean>;
  /** `dependents`: virtual models as they are to be without it, written in the same transaction. */
  removeModel(id: string, dependents?: readonly VirtualModelRow[]): Promise<boolean>;
  virtualModels(): Promise<readonly VirtualModelRow[]>;
  /** ConstraintViolation when the name is taken by a model, an alias or a virtual model. */
  addVirtualModel(row: VirtualModelRow): Promise<void>;
  /** False: there is none of exactly that name. */
  changeVirtualModel(row: VirtualModelRow): Promise<boolean>;
  removeVirtualModel(name: string): Promise<boolean>;
  /** Grows with each change of models and virtual models, whichever process makes it. */
  revision(): Promise<number>;
}

export type UsageGroup = 'day' | 'model' | 'served_model' | 'plugin' | 'owner' | 'account';

export interface UsageFilter {
  readonly by: readonly UsageGroup[];
  /** UTC days, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly accountId?: string;
  readonly ownerId?: string;
  readonly model?: string;
  readonly plugin?: string;
  readonly limit: number;
}

/** Sums over ended tasks. `queued`, `firstTokens`, `outputTokens`: how many are in the sum beside them. */
export interface UsageSums {
  readonly group: Readonly<Partial<Record<UsageGroup, string>>>;
  readonly requests: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly attempts: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly queueMs: number;
  readonly queued: number;
  readonly firstTokenMs: number;
  readonly firstTokens: number;
  readonly outputMs: number;
  readonly outputTokens: number;
}

export interface Usage {
  /** One entry a group that has ended tasks, in the order of the groups. */
  sums(filter: UsageFilter): Promise<readonly UsageSums[]>;
}

/** What is known about the plugins of this installation; plugins nothing is known about have no row (spec E, F). */
export interface PluginStates {
  list(): Promise<readonly PluginStateRow[]>;
  get(pluginId: string): Promise<PluginStateRow | null>;
  /** False: a newer revision is stored already, nothing was written. */
  putCircuit(pluginId: string, circuit: StoredCircuit, at: number): Promise<boolean>;
  putGuardian(pluginId: string, guardian: StoredGuardian, at: number): Promise<void>;
  putQuarantine(pluginId: string, quarantine: StoredQuarantine, at: number): Promise<void>;
  /** E4: closes every circuit and forgets its failures. Returns those that were not closed. */
  resetCircuits(at: number): Promise<readonly { readonly pluginId: string; readonly from: 'open' | 'half_open' }[]>;
  /** The plugin was uninstalled. False: nothing was known about it. */
  remove(pluginId: string): Promise<boolean>;
}

/** Plugin packages that were installed; the bundled ones are not here. */
export interface PluginPackages {
  list(): Promise<readonly PluginPackageRow[]>;
  put(row: PluginPackageRow): Promise<void>;
  /** False: there was none. */
  remove(digest: string): Promise<boolean>;
}

export interface Responses {
  get(id: string): Promise<ResponseRecord | null>;
  /** Drops it with its events, its task's request and answer. False: unknown. */
  erase(id: string): Promise<boolean>;
  append(taskId: string, batch: ResponseEventBatch): Promise<void>;
  /** The latest run that left events: its number, its first event's, and the number of the next event. */
  lastAttempt(taskId: string): Promise<{ attempt: number; first: number; next: number } | null>;
  /** Those after sequence number `after`, from at most `limit` batches. */
  events(taskId: string, after: number, limit: number): Promise<readonly StoredResponseEvent[]>;
}

export interface Downloads {
  add(row: DownloadRow): Promise<void>;
  get(id: string): Promise<DownloadRow | null>;
  /** Newest first. */
  list(limit: number): Promise<readonly DownloadRow[]>;
  /** Oldest first. */
  running(): Promise<readonly DownloadRow[]>;
  /** False: it runs no more, e.g. because somebody cancelled it. */
  progress(id: string, receivedBytes: number, totalBytes: number | null, at: number): Promise<boolean>;
  /** False: it had ended already. */
  end(id: string, end: DownloadEnd): Promise<boolean>;
}

export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  readonly tasks: Tasks;
  readonly queue: Queue;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly lifecycle: Lifecycle;
  readonly catalogue: Catalogue;
  readonly downloads: Downloads;
  readonly pluginPackages: PluginPackages;
  readonly usage: Usage;
  readonly pluginStates: PluginStates;
  readonly responses: Responses;
  /** Cheap round trip; throws when the database does not answer. */
  ping(): Promise<void>;
  /** Checkpoints (SQLite) and closes. */
  close(): Promise<void>;
}

export type { OwnerRef };
