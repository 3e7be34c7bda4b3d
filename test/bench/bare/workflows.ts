/** The least workflow that makes a call durable in Temporal: one activity, ids only in history. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { BareActivities } from './activities';

const LIMITS = { scheduleToCloseTimeout: 285_000, retry: { maximumAttempts: 1 } };

const remote = proxyActivities<BareActivities>(LIMITS);
const local = proxyLocalActivities<BareActivities>(LIMITS);

export const viaActivity = (id: string): Promise<void> => remote.call(id);

export const viaLocalActivity = (id: string): Promise<void> => local.call(id);
