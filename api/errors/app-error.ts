/** The one way to refuse: throw a code of the catalogue; `render.ts` makes the answer of it. */
import { type ErrorCode, entryOf } from './catalogue';

export interface ErrorFault {
  /** What it is about, such as the member of a virtual model; null: the input as a whole. */
  readonly subject: string | null;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorDetails {
  /** Replaces the catalogue's sentence. For the client: no secrets, no internals. */
  readonly message?: string;
  /** The parameter at fault. */
  readonly param?: string | null;
  /** A backend's status, where the catalogue's code passes it through. */
  readonly status?: number;
  readonly retryAfterSec?: number;
  /** Our own tries are spent: x-should-retry says false whatever the catalogue has (B4). */
  readonly triesSpent?: boolean;
  /** The backend's own code and type, shown to the client in place of ours (T30). */
  readonly upstream?: { readonly code: string | null; readonly type: string | null };
  /** Every single fault, where there can be several; sent by the management API. */
  readonly faults?: readonly ErrorFault[];
  /** Methods for the Allow header. */
  readonly allow?: readonly string[];
  /** For the log only. */
  readonly cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    readonly details: AppErrorDetails = {},
  ) {
    super(details.message ?? entryOf(code).message, { cause: details.cause });
  }

  get param(): string | null {
    return this.details.param ?? null;
  }

  get retryAfterSec(): number | null {
    return this.details.retryAfterSec ?? entryOf(this.code).retryAfterSec;
  }

  /** A backend's 401, 403 or 407 is about our credentials, never the client's (B3). */
  get status(): number {
    const { status } = this.details;
    if (status === undefined || !Number.isInteger(status) || status < 400 || status > 599)
      return entryOf(this.code).status;
    return status === 401 || status === 403 || status === 407 ? 502 : status;
  }
}
