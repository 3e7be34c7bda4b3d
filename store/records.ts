/**
 * The plain records the store hands out. Times are integer milliseconds since the epoch, on both
 * databases. JSON columns are parsed.
 */
import type { Operation, Priority, Target, TaskState } from '../workflows/contract';

export interface OwnerRef {
  readonly kind: 'account' | 'automation' | 'key';
  readonly id: string;
}

/** One entry of a routing plan: a target in order, or a member dropped with its reason. */
export interface PlanEntry extends Target {
  readonly dropped: string | null;
}

export interface NewTask {
  readonly id: string;
  readonly operation: Operation;
  readonly owner: OwnerRef;
  readonly accountId: string;
  /** The name the client asked for: a model id, an alias or a virtual model. */
  readonly model: string;
  readonly plan: readonly PlanEntry[];
  readonly priority: Priority;
  readonly stream: boolean;
  readonly background: boolean;
  readonly requestId: string;
  /** The client's JSON body as text. */
  readonly body: string;
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  /** The process that accepted it. */
  readonly incarnation: string;
  readonly idempotency: {
    readonly key: string;
    readonly route: string;
    readonly bodyHash: string;
    readonly expiresAt: number;
  } | null;
  /** Absent or null: the answer is not to be fetched as a response. */
  readonly response?: NewResponse | null;
}

/** What makes a task's answer a stored response (contract 5). */
export interface NewResponse {
  readonly id: string;
  readonly previousId: string | null;
  /** How many items at the front of the request's input are the context of earlier turns. */
  readonly contextItems: number;
}

export interface ResponseRecord extends NewResponse {
  readonly taskId: string;
  readonly accountId: string;
  readonly createdAt: number;
}

/** Events of one run of a background stream, in order: [event, data]. */
export interface ResponseEventBatch {
  /** 1, 2, …: which run of the task. */
  readonly attempt: number;
  /** Sequence number of the first. */
  readonly first: number;
  readonly events: readonly (readonly [event: string | null, data: string])[];
}

export interface StoredResponseEvent {
  readonly attempt: number;
  readonly sequence: number;
  readonly event: string | null;
  readonly data: string;
}

export type AcceptOutcome =
  | { readonly kind: 'accepted' }
  /** DURABLE_QUEUE_HARD_LIMIT_TASKS non-terminal tasks exist (A3). No row was written. */
  | { readonly kind: 'capacity_exceeded' }
  /** The idempotency key is bound to this task already (A9). No row was written. */
  | { readonly kind: 'duplicate'; readonly taskId: string; readonly sameBody: boolean };

export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
}

export interface TaskRecord {
  readonly id: string;
  readonly operation: Operation;
  readonly state: TaskState;
  /** Machine-readable; set on every failed, cancelled or deferred task. */
  readonly reason: string | null;
  /** One sentence for a person, secrets redacted. */
  readonly sentence: string | null;
  readonly owner: OwnerRef;
  readonly accountId: string;
  readonly model: string;
  readonly plan: readonly PlanEntry[];
  readonly servedBy: Target | null;
  readonly priority: Priority;
  readonly stream: boolean;
  readonly background: boolean;
  readonly requestId: string;
  readonly acceptedAt: number;
  readonly deadlineAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly updatedAt: number;
  readonly incarnation: string;
  /** How often another run took it over after a lost lease. */
  readonly takeovers: number;
  readonly cancelRequested: { readonly at: number; readonly reason: string } | null;
  /** True once a client has been given part of the answer (C7). */
  readonly given: boolean;
  /** Malformed stream lines dropped (spec K). */
  readonly badLines: number;
  readonly usage: Usage | null;
  /** Accepted to first content, ms. */
  readonly firstTokenMs: number | null;
  /** Accepted to the first claim, ms. */
  readonly queueMs: number | null;
}

export type AttemptOutcome = 'running' | 'ok' | 'transient' | 'rate_limited' | 'fatal' | 'cancelled' | 'lost';

export interface AttemptRecord {
  readonly taskId: string;
  /** 1, 2, … over the whole task. */
  readonly number: number;
  readonly fence: number;
  readonly target: Target;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly outcome: AttemptOutcome;
  readonly code: string | null;
  readonly httpStatus: number | null;
  readonly sentence: string | null;
  /** Wait decided before the next call, ms. */
  readonly retryDelayMs: number | null;
}

export interface Claim {
  /** Grows with each claim; a write that carries an older one is dropped (C1). */
  readonly fence: number;
  readonly attempt: number;
}

export type SeatScope = 'plugin' | 'owner';

/** One of a plugin's or an owner's running tasks, of at most `limit` over all processes (A5). */
export interface Seat {
  readonly scope: SeatScope;
  readonly id: string;
  readonly limit: number;
}

export interface Answer {
  readonly contentType: string;
  readonly text: string;
}

export interface Settlement {
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly reason: string | null;
  readonly sentence: string | null;
  readonly answer: Answer | null;
  readonly usage: Usage | null;
  readonly servedBy: Target | null;
  readonly given: boolean;
  readonly badLines: number;
  readonly firstTokenMs: number | null;
  readonly at: number;
}

export interface AttemptEnd {
  readonly outcome: Exclude<AttemptOutcome, 'running'>;
  readonly code: string | null;
  readonly httpStatus: number | null;
  readonly sentence: string | null;
  readonly retryDelayMs: number | null;
  readonly at: number;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: 'administrator' | 'standard';
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly createdAt: number;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  /** First characters, shown in lists. */
  readonly prefix: string;
  /** SHA-256 of the whole key, hex. The key itself is stored nowhere. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface Session {
  /** SHA-256 of the cookie's value, hex. */
  readonly hash: string;
  readonly accountId: string;
  readonly csrf: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface PluginOptions {
  /** Stops a local backend that ran nothing for this long, seconds; 0 never does. */
  readonly idleUnloadSec: number;
  /** Starts a local backend with the server instead of at the first request. */
  readonly preload: boolean;
}

export interface PluginRow {
  readonly id: string;
  readonly package: string;
  /** Secret values are sealed (`secret-box.ts`). */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxConcurrentTasks: number;
  readonly enabled: boolean;
  /** Null: the defaults. */
  readonly options: PluginOptions | null;
  /** The plugin it is a clone of; null for an original. */
  readonly clonedFrom: string | null;
  /** The installed package it runs; null for a bundled one. */
  readonly packageDigest: string | null;
  /** A clone's own copy of the package: SHA-256 in hex by path. Null for an original. */
  readonly files: Readonly<Record<string, string>> | null;
  readonly createdAt: number;
}

/** The dispatch circuit of a plugin as stored (spec E4). */
export interface StoredCircuit {
  readonly circuitState: 'closed' | 'open' | 'half_open';
  /** Grows with each change; an older one never replaces a newer one. */
  readonly circuitRevision: number;
  /** When the failures that count happened. */
  readonly failures: readonly number[];
  readonly failureCount: number;
  readonly lastFailureAt: number | null;
  readonly retryAt: number | null;
}

/** What the Plugin Guardian found (spec F). */
export interface StoredGuardian {
  readonly health: 'unknown' | 'healthy' | 'unhealthy';
  /** In a row. */
  readonly recoveryAttempts: number;
  readonly flapping: boolean;
  /** When health changed, inside the flapping window. */
  readonly transitions: readonly number[];
  readonly lastPingAt: number | null;
}

/** `integrity`: its files are not what was installed; only a repair or a new clone mends that (F6). */
export interface StoredQuarantine {
  readonly quarantineState: 'none' | 'quarantined' | 'integrity';
  readonly quarantineReason: string | null;
  readonly quarantineSince: number | null;
}

export interface PluginStateRow extends StoredCircuit, StoredGuardian, StoredQuarantine {
  readonly pluginId: string;
  readonly updatedAt: number;
}

/** A plugin package that was installed, with what its files have to be (spec F6). */
export interface PluginPackageRow {
  /** SHA-256 in hex over names and digests of all its files. */
  readonly digest: string;
  readonly name: string;
  readonly version: string;
  /** Its manifest.json, parsed. */
  readonly manifest: unknown;
  /** SHA-256 in hex by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Where it was installed from, for people. */
  readonly source: string;
  readonly installedAt: number;
}

export interface ModelRow {
  readonly id: string;
  readonly pluginId: string;
  readonly upstreamModel: string;
  readonly aliases: readonly string[];
  readonly capabilities: readonly string[];
  readonly modalities: readonly string[];
  /** Longest prompt and answer together, where known. */
  readonly contextTokens: number | null;
  readonly enabled: boolean;
  readonly createdAt: number;
}

export interface VirtualModelRow {
  readonly name: string;
  readonly strategy: 'failover' | 'load_balancing';
  /** Model ids, in the order in which failover tries them. */
  readonly members: readonly string[];
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A model file that is fetched in the background. */
export interface DownloadRow {
  readonly id: string;
  readonly pluginId: string;
  readonly fileName: string;
  /** Host and directory: only a process there can go on with it. */
  readonly place: string;
  /** Whole while it runs, since it can carry a token; without its query afterwards. Null: the plugin's own model. */
  readonly url: string | null;
  /** Hex. */
  readonly sha256: string | null;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly receivedBytes: number;
  readonly totalBytes: number | null;
  readonly reason: string | null;
  readonly sentence: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
}

export interface DownloadEnd {
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly url: string | null;
  readonly receivedBytes: number;
  readonly reason: string | null;
  readonly sentence: string | null;
  readonly at: number;
}

export interface ProcessRow {
  readonly incarnation: string;
  readonly pid: number;
  readonly host: string;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  readonly stoppedAt: number | null;
}
