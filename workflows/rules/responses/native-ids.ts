/**
 * Renames what a backend of the same protocol says of itself: the model is the client's name (D5, T82),
 * response and item ids are SoAI's, and what the client asked of SoAI (`store`, `background`,
 * `previous_response_id`, `metadata`) is said as SoAI does it.
 */
import type { RequestFacts } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { outputItemId } from './ids';
import { emptyResponse, type Item, type ResponseObject } from './response-object';
import { responseUsage } from './response-usage';

/** Members that are SoAI's to say, whatever the backend says. */
const OURS = [
  'id',
  'object',
  'created_at',
  'background',
  'model',
  'metadata',
  'previous_response_id',
  'store',
  'service_tier',
] as const;

export class NativeIds {
  private readonly ours = new Map<string, string>();

  constructor(private readonly facts: RequestFacts) {}

  /** A whole response object, or the one nested in an event. */
  response(theirs: Readonly<Record<string, unknown>>): ResponseObject {
    const empty = emptyResponse(this.facts, 'in_progress');
    const given = Object.fromEntries(Object.entries(theirs).filter(([, value]) => value !== undefined));
    const own = Object.fromEntries(OURS.map((name) => [name, empty[name]]));
    const output = Array.isArray(theirs['output']) ? theirs['output'] : [];
    return {
      ...empty,
      ...given,
      ...own,
      output: output.filter(isRecord).map((item, index) => this.item(item, index)),
      usage: responseUsage(theirs['usage']),
    };
  }

  /** A whole one whose backend may not say when it was. */
  completed(theirs: Readonly<Record<string, unknown>>, at: number): ResponseObject {
    const response = this.response(theirs);
    const completedAt = response['completed_at'] ?? Math.floor(at / 1_000);
    return { ...response, status: 'completed', completed_at: completedAt };
  }

  item(item: Item, index: number): Item {
    const theirs = item['id'];
    const known = typeof theirs === 'string' ? this.ours.get(theirs) : undefined;
    const id = known ?? outputItemId(this.facts.taskId, String(item['type']), index);
    if (typeof theirs === 'string') this.ours.set(theirs, id);
    return { ...item, id };
  }

  /** One event's fields but `type` and `sequence_number`. */
  fields(event: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { type: _type, sequence_number: _number, ...rest } = event;
    const fields: Record<string, unknown> = { ...rest };
    if (isRecord(fields['response'])) fields['response'] = this.response(fields['response']);
    if (isRecord(fields['item'])) fields['item'] = this.item(fields['item'], Number(fields['output_index'] ?? 0));
    const itemId = fields['item_id'];
    if (typeof itemId === 'string') fields['item_id'] = this.ours.get(itemId) ?? itemId;
    return fields;
  }
}
