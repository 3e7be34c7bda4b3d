/**
 * K: a backend that rejects a field which the gateway added is asked once more without it.
 *
 * | failure                                            | asked again without               |
 * |----------------------------------------------------|-----------------------------------|
 * | 400 or 422 whose text names fields that were added | those fields                      |
 * | anything else                                      | not asked again (null)            |
 */
import type { FailureFacts } from '../vocabulary';
import type { Body } from './client-dialect';

export function withoutRejectedFields(
  body: Body,
  added: readonly string[],
  { kind, status }: FailureFacts,
  refusal: string,
): Body | null {
  if (kind !== 'status' || (status !== 400 && status !== 422)) return null;
  const rejected = added.filter((field) => field in body && refusal.includes(field));
  if (rejected.length === 0) return null;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !rejected.includes(name)));
}
