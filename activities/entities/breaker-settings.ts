/** The settings of breakers and guardians, in the milliseconds their rules take. */
import type { RoutingSettings } from '../../config/schema';
import type { WatchSettings } from '../../workflows/contract';
import type { BreakerSettings } from '../../workflows/rules/breaker';
import type { GuardianSettings } from '../../workflows/rules/guardian';
import { seconds } from '../timings';

export function breakerSettings({ HEALTH_CHECKS: checks, TIMEOUTS }: RoutingSettings): BreakerSettings {
  return {
    windowMs: seconds(checks.FAILURE_WINDOW_SEC),
    threshold: checks.FAILURE_THRESHOLD,
    recoveryMs: seconds(checks.RECOVERY_TIMEOUT_SEC),
    probeMs: seconds(TIMEOUTS.FIRST_BYTE_SEC),
  };
}

export function guardianSettings({ HEALTH_CHECKS: checks }: RoutingSettings): GuardianSettings {
  return {
    flappingWindowMs: seconds(checks.FLAPPING_WINDOW_SEC),
    flappingMinTransitions: checks.FLAPPING_MIN_TRANSITIONS,
    maxRecoveryAttempts: checks.MAX_RECOVERY_ATTEMPTS,
    restartDelayMs: seconds(checks.RESTART_DELAY_SEC),
    maxRestartDelayMs: seconds(checks.INTERVAL_SEC),
  };
}

export function watchSettings({ HEALTH_CHECKS: checks, TIMEOUTS }: RoutingSettings): WatchSettings {
  return {
    intervalMs: seconds(checks.INTERVAL_SEC),
    pingTimeoutMs: seconds(checks.PING_TIMEOUT_SEC),
    transitionalTimeoutMs: seconds(checks.TRANSITIONAL_TIMEOUT_SEC),
    // A call's own deadlines end it first; what is silent for longer does not obey them any more.
    stalledMs: seconds(Math.max(TIMEOUTS.FIRST_BYTE_SEC, TIMEOUTS.STREAM_IDLE_SEC) + checks.PING_TIMEOUT_SEC),
  };
}
