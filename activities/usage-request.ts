/**
 * Asks a backend for the usage of a stream that the client did not ask for, so that it is always recorded
 * (T78). A backend that rejects the field is asked again without it, once, and not with it any more (spec K).
 * Fields that a translation adds are `dialects/added-fields.ts`'s.
 */
import type { Adapter } from '../plugins/adapter';
import type { BackendOperation } from '../workflows/contract';
import { isRecord } from '../workflows/rules/failed-answer';
import type { FailureFacts } from '../workflows/rules/retry';

type Body = Readonly<Record<string, unknown>>;

const REJECTIONS: ReadonlySet<number> = new Set([400, 404, 415, 422, 501]);

/** Models that rejected it, as long as their adapter lives. */
const unwilling = new WeakMap<Adapter, Set<string>>();

/** The body with usage asked for; null: nothing is to be added. */
export function withUsageAsked(operation: BackendOperation, body: Body, adapter: Adapter, model: string): Body | null {
  if (operation !== 'chat' && operation !== 'completions') return null;
  if (body['stream'] !== true || unwilling.get(adapter)?.has(model)) return null;
  const options = isRecord(body['stream_options']) ? body['stream_options'] : {};
  if (options['include_usage'] === true) return null;
  return { ...body, stream_options: { ...options, include_usage: true } };
}

/** True: the refusal is about what was added. From now on this model is asked without it. */
export function rejectsUsage(failure: FailureFacts, refusal: string, adapter: Adapter, model: string): boolean {
  const { kind, status = 0 } = failure;
  if (kind !== 'status' || !REJECTIONS.has(status) || !/stream_options|include_usage/.test(refusal)) return false;
  unwilling.set(adapter, (unwilling.get(adapter) ?? new Set()).add(model));
  return true;
}
