/** Placeholder signature file: see the rule's contract below (spec B1-B5). */
export interface RetrySettings {
  /** Retries after the first try for a transient failure (B1). */
  readonly transientRetries: number;
  /** Calls in all when the upstream answers 429 (B2). */
  readonly rateLimitCalls: number;
  /** Calls in all to one target, whatever the classes (B5). */
  readonly maxCalls: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}
