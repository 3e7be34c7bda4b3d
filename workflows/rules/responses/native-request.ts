/**
 * A Responses request for a backend that speaks the protocol itself. What is stored, run in the
 * background and continued is SoAI's affair: the backend gets one whole, unstored request, its input
 * the context of all turns.
 *
 * Item ids in it are SoAI's, which the backend never gave out, so they go; reasoning that is not
 * encrypted means nothing to a backend that stored none.
 */
import type { Body } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';

const OURS: ReadonlySet<string> = new Set(['background', 'previous_response_id']);

export function nativeRequest(body: Body): Body {
  const kept = Object.entries(body).filter(([name]) => !OURS.has(name));
  const { input } = body;
  const items = Array.isArray(input) ? input.filter(isMeaningful).map(withoutId) : input;
  return { ...Object.fromEntries(kept), input: items, store: false };
}

function isMeaningful(item: unknown): boolean {
  return !isRecord(item) || item['type'] !== 'reasoning' || typeof item['encrypted_content'] === 'string';
}

function withoutId(item: unknown): unknown {
  if (!isRecord(item) || item['type'] === 'item_reference') return item;
  const { id: _id, status: _status, ...rest } = item;
  return rest;
}
