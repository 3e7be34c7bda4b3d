/**
 * `SYSTEM_DATA/run/server.json` (mode 0600): how commands of the same OS user find and prove
 * themselves to the running server. Written when it is ready, removed when it stops.
 */
import { z } from 'zod';

export const runtimeFile = z.object({
  pid: z.number(),
  /** From /proc, ticks since boot, so that a reused pid is told apart; null where unknown. */
  pid_start: z.string().nullable(),
  started_at: z.number(),
  /** e.g. http://127.0.0.1:8420 */
  api: z.string(),
  /** Bearer token that acts as the account `admin`, for this run only. */
  operator_token: z.string(),
  version: z.string(),
});

export type RuntimeFile = z.infer<typeof runtimeFile>;
