/** The settings' seconds as the milliseconds that rules and adapters take. */
import type { RoutingSettings } from '../config/schema';
import type { CallDeadlines } from '../plugins/adapter';
import type { RequestTimeouts } from '../workflows/rules/admission';
import type { RetrySettings } from '../workflows/rules/retry';

export interface RouterSettings {
  readonly windowMs: number;
  readonly rotate: boolean;
  readonly triesPerMember: number;
}

export interface DispatchSettings {
  readonly hardLimit: number;
  readonly minFreeBytes: number;
  readonly maxBodyBytes: number;
  readonly timeouts: RequestTimeouts;
  readonly retry: RetrySettings;
}

export function seconds(value: number): number {
  return Math.round(value * 1_000);
}

export function callDeadlines(timeouts: RoutingSettings['TIMEOUTS']): CallDeadlines {
  return {
    connectMs: seconds(timeouts.CONNECT_SEC),
    firstByteMs: seconds(timeouts.FIRST_BYTE_SEC),
    idleMs: seconds(timeouts.STREAM_IDLE_SEC),
  };
}

export function retrySettings(retry: RoutingSettings['RETRY']): RetrySettings {
  return {
    transientRetries: retry.TRANSIENT_RETRIES,
    rateLimitCalls: retry.RATE_LIMIT_CALLS,
    maxCalls: retry.MAX_CALLS,
    baseDelayMs: seconds(retry.BASE_DELAY_SEC),
    maxDelayMs: seconds(retry.MAX_DELAY_SEC),
  };
}

export function routerSettings(routing: RoutingSettings): RouterSettings {
  return {
    windowMs: seconds(routing.HEALTH_CHECKS.VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC),
    rotate: routing.FAIR_TASK_ROTATION,
    triesPerMember: routing.VIRTUAL_MODEL_TRIES_PER_MEMBER,
  };
}

export function dispatchSettings(routing: RoutingSettings): DispatchSettings {
  return {
    hardLimit: routing.DURABLE_QUEUE_HARD_LIMIT_TASKS,
    minFreeBytes: routing.MIN_FREE_DISK_BYTES_FOR_ACCEPT,
    maxBodyBytes: routing.MAX_REQUEST_BYTES_IN_MEMORY,
    timeouts: {
      requestMs: seconds(routing.TIMEOUTS.REQUEST_SEC),
      streamMs: seconds(routing.TIMEOUTS.STREAM_SEC),
      backgroundMs: seconds(routing.TIMEOUTS.BACKGROUND_SEC),
    },
    retry: retrySettings(routing.RETRY),
  };
}
