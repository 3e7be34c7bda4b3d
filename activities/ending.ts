/** How requests end early or badly: the state, reason and words for each. */
import type { TaskFailure } from './delivery';
import type { CallFailure } from './call-backend';
import { reportFailure } from '../workflows/rules/failure-report';
import type { Explanation } from '../workflows/rules/routing/explain';
import type { PluginProblem } from './plugin-problem';

export interface Ending {
  readonly state: 'failed' | 'cancelled';
  readonly reason: string;
  readonly failure: TaskFailure;
}

const STOPPED: Readonly<Record<string, { readonly state: Ending['state']; readonly message: string }>> = {
  client_disconnected: { state: 'cancelled', message: 'The client left before the answer was complete.' },
  cancelled: { state: 'cancelled', message: 'The request was cancelled.' },
  shutting_down: { state: 'cancelled', message: 'SoAI is shutting down; send the request again in a moment.' },
  deadline_exceeded: { state: 'failed', message: "The request's deadline passed before it could be completed." },
  queue_full: { state: 'failed', message: 'The queue stayed full for 10 seconds; send the request again.' },
  engine_unavailable: {
    state: 'failed',
    message: 'The workflow engine is not available; send the request again in a moment.',
  },
  server_restarted: { state: 'failed', message: 'The server restarted while the task was in flight.' },
  system_memory_exhausted: { state: 'failed', message: 'The system ran out of memory while the task was in flight.' },
  poison_task: { state: 'failed', message: 'The task was taken over three times and ended its worker each time.' },
  no_eligible_member: { state: 'failed', message: 'No eligible target was left for the request.' },
  plugin_recovery: {
    state: 'failed',
    message: 'The plugin is being recovered and its work was purged; send the request again when it is back.',
  },
  backends_on_cooldown: {
    state: 'failed',
    message: "Every backend of the model was on cooldown until the request's deadline.",
  },
  internal_error: { state: 'failed', message: 'SoAI failed to process the request.' },
};

/** Reasons after which the same request may be sent again under the same idempotency key (A9). */
const RETRYABLE_REFUSALS = new Set(['queue_full', 'engine_unavailable', 'shutting_down']);

export function freesIdempotencyKey(reason: string): boolean {
  return RETRYABLE_REFUSALS.has(reason);
}

export function stoppedEnding(reason: string): Ending {
  const known = STOPPED[reason];
  const message = known?.message ?? `The request was ended: ${reason.replaceAll('_', ' ')}.`;
  return { state: known?.state ?? 'cancelled', reason, failure: { code: reason, message } };
}

export function failedEnding(failure: CallFailure, given: boolean, retryAfterMs: number | null): Ending {
  const report = reportFailure(failure, given);
  const upstream = upstreamError(failure.body);
  const passed = report.passStatus !== undefined;
  return {
    state: 'failed',
    reason: report.code,
    failure: {
      code: report.code,
      triesSpent: true,
      message: passed && upstream?.message ? upstream.message : failure.message,
      status: report.passStatus,
      param: passed ? (upstream?.param ?? null) : null,
      upstream: passed && upstream ? { code: upstream.code, type: upstream.type } : undefined,
      retryAfterSec: retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1_000),
    },
  };
}

/** E, K: refused or given up because the plugin's circuit is open; `remainingMs` until it may be tried. */
export function circuitOpenEnding(pluginId: string, remainingMs: number): Ending {
  const message = `The circuit of the plugin '${pluginId}' is open after repeated failures.`;
  const retryAfterSec = Math.max(1, Math.ceil(remainingMs / 1_000));
  return { state: 'failed', reason: 'circuit_open', failure: { code: 'circuit_open', message, retryAfterSec } };
}

/** D7: nobody is left who could serve it, for a reason that waiting can't mend. */
export function noMemberEnding({ sentence, requestsFault }: Explanation): Ending {
  const status = requestsFault ? undefined : 503;
  const failure: TaskFailure = {
    code: 'no_eligible_member',
    message: sentence,
    param: 'model',
    status,
    triesSpent: true,
  };
  return { state: 'failed', reason: 'no_eligible_member', failure };
}

/** The model or its plugin went out of use while the request waited. `problem` null: the model was disabled. */
export function unreachableEnding(model: string, problem: PluginProblem | null): Ending {
  const code = problem?.code === 'plugin_quarantined' ? 'backend_quarantined' : 'plugin_unavailable';
  const message = `The model '${model}' can't be reached: ${problem?.sentence ?? 'it was disabled.'}`;
  return { state: 'failed', reason: code, failure: { code, message } };
}

interface UpstreamError {
  readonly message: string | null;
  readonly type: string | null;
  readonly param: string | null;
  readonly code: string | null;
}

/** The OpenAI error object of a backend's body, or null. */
function upstreamError(body: string | undefined): UpstreamError | null {
  if (body === undefined) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    const error = isRecord(parsed) ? (parsed.error ?? parsed) : null;
    if (typeof error === 'string') return { message: error, type: null, param: null, code: null };
    if (!isRecord(error)) return null;
    return { message: text(error.message), type: text(error.type), param: text(error.param), code: text(error.code) };
  } catch {
    return null; // Not JSON: the adapter's own sentence says enough.
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== 'None' ? value : null;
}
