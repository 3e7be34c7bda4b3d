/**
 * The adapter interface: what SoAI asks of a plugin, and what a plugin may ask of SoAI.
 *
 * An adapter makes exactly one try per call. It never retries, fails over or queues: those
 * decisions belong to `workflows/rules/` (spec B4).
 */
import type { BackendOperation } from '../workflows/contract';

export interface CallDeadlines {
  /** To an established connection (spec K, CONNECT_SEC). */
  readonly connectMs: number;
  /** From sending the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** Between two reads of a stream. */
  readonly idleMs: number;
}

export interface AdapterCall {
  readonly operation: BackendOperation;
  /** The model's name at the backend. */
  readonly model: string;
  /**
   * The client's JSON body, to be forwarded with nothing lost (unknown fields, nulls and key order
   * included) but `model`, which the adapter sets to `model` above.
   */
  readonly body: Readonly<Record<string, unknown>>;
  readonly stream: boolean;
  /** Aborts the call: the upstream socket is closed at once and never reused. */
  readonly signal: AbortSignal;
  readonly deadlines: CallDeadlines;
  readonly taskId: string;
}

/** One dispatched SSE event of a backend's stream. */
export interface StreamEvent {
  /** The `event:` field, or null. */
  readonly event: string | null;
  /** The `data:` lines joined by newlines. */
  readonly data: string;
}

export type AdapterReply =
  | {
      readonly kind: 'json';
      /** The body exactly as the backend sent it (already decoded from UTF-8, valid JSON). */
      readonly text: string;
    }
  | {
      readonly kind: 'stream';
      /**
       * Events in order. Ends when the backend closes; throws UpstreamFailure on a reset, an idle
       * time-out or a line beyond the cap. `return()` closes the upstream socket.
       */
      readonly events: AsyncIterable<StreamEvent>;
    };

/** What went wrong, in the terms the retry, breaker and failover rules decide on. */
export type FailureKind =
  /** No answer: refused, reset, DNS, TLS stall. */
  | 'transport'
  /** Connect, first-byte or idle deadline passed. */
  | 'timeout'
  /** The backend answered with an error status. */
  | 'status'
  /** A 2xx whose body is not what it should be (HTML, empty, truncated, an error object). */
  | 'malformed'
  /** A certificate or address that no retry mends. */
  | 'configuration'
  /** One stream line over the cap (spec K, 4 MiB). */
  | 'oversized'
  /** The call's own signal fired. */
  | 'aborted';

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';

  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly details: {
      /** HTTP status, for kind `status`. */
      readonly status?: number;
      /** Raw `retry-after` / `retry-after-ms` values; the rule parses them. */
      readonly retryAfter?: string;
      readonly retryAfterMs?: string;
      /** The backend's error object or text, secrets redacted, cut at 4 KiB. */
      readonly body?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
  }
}

export interface DiscoveredModel {
  readonly upstreamModel: string;
  readonly capabilities: readonly string[];
  readonly modalities: readonly string[];
  readonly contextTokens: number | null;
}

export type BackendState = 'stopped' | 'starting' | 'running' | 'stopping' | 'error';

/** A model file of this host. */
export interface ModelFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Why it can't be loaded, or null. */
  readonly fault: string | null;
  readonly architecture: string | null;
  readonly quantisation: string | null;
  readonly parameters: number | null;
  /** As trained. */
  readonly contextTokens: number | null;
  readonly hasChatTemplate: boolean;
}

export interface ModelDownload {
  /** http or https; null: the package's own small model. */
  readonly url: string | null;
  /** One of this directory, never a path. */
  readonly name: string;
  /** Hex; checked before the file appears. */
  readonly sha256: string | null;
  readonly signal: AbortSignal;
  progress(received: number, total: number | null): void;
}

/** No repetition of the download mends it. */
export class DownloadRefused extends Error {
  override readonly name = 'DownloadRefused';

  constructor(
    message: string,
    readonly code: 'refused' | 'digest_mismatch' | 'not_a_model' = 'refused',
  ) {
    super(message);
  }
}

/** The models directory of a plugin that serves files of this host. */
export interface ModelFiles {
  readonly directory: string;
  /** The package's own small model, or null. */
  readonly ownModel: string | null;
  /** False for what can't be the name of a model file here (S6). */
  isName(name: string): boolean;
  list(): Promise<readonly ModelFile[]>;
  /** One try; a later one goes on where it stopped. @throws DownloadRefused */
  download(download: ModelDownload): Promise<void>;
  /** Drops what a download has brought so far. */
  discard(name: string): Promise<void>;
  /** False: there is none of that name. */
  remove(name: string): Promise<boolean>;
}

export interface Adapter {
  /** Only of plugins that serve files of this host. */
  readonly files?: ModelFiles;
  /** Brings the backend up where there is one to bring up. Idempotent. */
  start(): Promise<void>;
  /** Stops it (TERM, then KILL), waits for it. Idempotent. */
  stop(): Promise<void>;
  readonly backend: { readonly state: BackendState; readonly detail: string | null };
  /** Cheap: never loads a model, never runs one. */
  ping(signal: AbortSignal): Promise<void>;
  discover(signal: AbortSignal): Promise<readonly DiscoveredModel[]>;
  call(call: AdapterCall): Promise<AdapterReply>;
  /** Brings a model into memory before its first call, for backends that hold one at a time. @throws UpstreamFailure */
  load?(model: string, signal: AbortSignal): Promise<void>;
  /** Upstream model loaded now, for backends that hold one at a time. */
  readonly loadedModel: string | null;
}

export interface PluginContext {
  readonly id: string;
  /** Already validated against the manifest's schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A directory of this plugin's own, exists, mode 0700. */
  readonly dataDir: string;
  /** The package's files this plugin runs: a clone's own copy, or those of an installed package; else absent. */
  readonly packageDir?: string;
  /** To be called after each change of `backend`. */
  readonly changed?: () => void;
  /** To be called with each upstream model brought into memory, and what that took, a swap's unloading included, ms. */
  readonly loaded?: (upstreamModel: string, loadMs: number) => void;
  /** Shared, re-creatable downloads and builds ($XDG_CACHE_HOME/soai). */
  readonly cacheDir: string;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>): void;
}

/** What a plugin package exports as `plugin`. */
export interface PluginPackage {
  readonly manifest: PluginManifest;
  create(context: PluginContext): Adapter;
}

export interface PluginManifest {
  /** The PACKAGE of the settings file. */
  readonly name: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  /** True when it runs a process on this host, so MAX_RUNNING_LOCAL_BACKENDS applies. */
  readonly local: boolean;
  /** One model in memory at a time: a call for another one is a swap. */
  readonly oneModelAtATime: boolean;
  /** SoAI versions it works with, as a semver range. */
  readonly requires: string;
  /** `linux-x64`, or `linux` for every one of it; every platform when left out. */
  readonly platforms?: readonly string[];
  /** Node versions its own programs need, as a semver range. */
  readonly node?: string;
  readonly operations: readonly BackendOperation[];
  /** zod schema of SETTINGS; secret fields carry `.meta({ secret: true })`. */
  readonly settings: import('zod').ZodType<Record<string, unknown>>;
}
