/**
 * One accepted request (spec A8): walks the routing plan, one `attempt` activity a target.
 *
 * A retry at the same target is the activity's own (it fails with the delay the retry rule chose);
 * moving to the next target is a new activity. A request to a virtual model has no fixed plan: each attempt
 * chooses among the members that may be tried at that moment. History holds ids and codes only.
 */
import {
  ActivityFailure,
  CancellationScope,
  TimeoutFailure,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { AttemptResult, InferenceActivities, InferenceInput } from './contract';
import { DEADLINE_SLACK_MS, HEARTBEAT_TIMEOUT_MS, MAX_ACTIVITY_TRIES } from './rules/attempt-limits';

export async function inferenceRequest(input: InferenceInput): Promise<AttemptResult> {
  const limits = { scheduleToCloseTimeout: input.budgetMs + DEADLINE_SLACK_MS, heartbeatTimeout: HEARTBEAT_TIMEOUT_MS };
  const { attempt } = proxyActivities<InferenceActivities>({
    ...limits,
    retry: {
      initialInterval: input.retry.baseDelayMs,
      maximumInterval: input.retry.maxDelayMs,
      maximumAttempts: MAX_ACTIVITY_TRIES,
    },
  });
  const { settle } = proxyActivities<InferenceActivities>({
    scheduleToCloseTimeout: DEADLINE_SLACK_MS,
    startToCloseTimeout: DEADLINE_SLACK_MS / 3,
    retry: { maximumAttempts: MAX_ACTIVITY_TRIES },
  });

  const { taskId, plan, retry } = input;
  try {
    if (input.virtual) {
      // Every `next` takes a member out for this request, so this ends.
      for (;;) {
        const result = await attempt({ taskId, target: null, last: false, retry });
        if (result.kind === 'settled') return result;
      }
    }
    for (const [index, target] of plan.entries()) {
      const result = await attempt({ taskId, target, last: index === plan.length - 1, retry });
      if (result.kind === 'settled') return result;
    }
    return await end('failed', 'no_eligible_member');
  } catch (error) {
    if (isCancellation(error)) return await end('cancelled', 'cancelled');
    return await end('failed', isTimeout(error) ? 'deadline_exceeded' : 'internal_error');
  }

  async function end(state: 'failed' | 'cancelled', reason: string): Promise<AttemptResult> {
    await CancellationScope.nonCancellable(() => settle({ taskId, state, reason }));
    return { kind: 'settled', state, reason };
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
}
