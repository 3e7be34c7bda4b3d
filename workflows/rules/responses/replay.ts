/**
 * A stored response as the events that would have streamed it: each text one delta, each item whole.
 * Items of kinds without events of their own are added and done.
 */
import type { ServerEvent } from '../dialects/answer-stream';
import { asText } from '../as-text';
import { isRecord } from '../failed-answer';
import { CallItem } from './call-item';
import { EventWriter } from './event-writer';
import type { Item, ResponseObject } from './response-object';
import { TextItem, type ItemStatus, type PartType } from './text-item';

const PARTS: ReadonlySet<unknown> = new Set<PartType>(['output_text', 'refusal', 'reasoning_text']);

/**
 * `response` is a finished one: completed, incomplete, failed or cancelled. `eventsBefore` were given
 * already, the announcement among them.
 */
export function replayResponse(response: ResponseObject, eventsBefore: number): readonly ServerEvent[] {
  const events = new EventWriter(eventsBefore);
  const begun = { ...response, status: 'in_progress', output: [], completed_at: null, incomplete_details: null };
  const quiet = { ...begun, error: null, usage: null };
  if (eventsBefore === 0) events.write('response.created', { response: quiet });
  events.write('response.in_progress', { response: quiet });
  response.output.forEach((item, index) => replayItem(events, item, index));
  if (response.status === 'completed' || response.status === 'incomplete') {
    events.write(`response.${response.status}`, { response });
  }
  return events.take();
}

function replayItem(events: EventWriter, item: Item, index: number): void {
  const { id, type } = item;
  const status: ItemStatus = item['status'] === 'incomplete' ? 'incomplete' : 'completed';
  if (type === 'function_call' && typeof id === 'string') {
    const call = new CallItem(events, id, index, { callId: asText(item['call_id']), name: asText(item['name']) });
    call.add(asText(item['arguments']));
    call.close(status);
  } else if (isPlainText(item) && typeof id === 'string') {
    const text = new TextItem(events, type === 'message' ? 'message' : 'reasoning', id, index);
    for (const part of item['content'] as Item[]) {
      const logprobs = Array.isArray(part['logprobs']) ? part['logprobs'] : [];
      text.add(part['type'] as PartType, asText(part['refusal'] ?? part['text']), logprobs);
      const annotations = Array.isArray(part['annotations']) ? part['annotations'] : [];
      for (const annotation of annotations) if (isRecord(annotation)) text.annotate(annotation);
    }
    text.close(status);
  } else {
    events.write('response.output_item.added', { output_index: index, item });
    events.write('response.output_item.done', { output_index: index, item });
  }
}

/** Made of nothing but the texts that have deltas: no summary, nothing encrypted. */
function isPlainText(item: Item): boolean {
  const { type, content, summary } = item;
  if (type !== 'message' && type !== 'reasoning') return false;
  if (Array.isArray(summary) && summary.length > 0) return false;
  if (item['encrypted_content'] !== undefined && item['encrypted_content'] !== null) return false;
  if (!Array.isArray(content) || content.length === 0) return false;
  return content.every((part: unknown) => isRecord(part) && PARTS.has(part['type']));
}
