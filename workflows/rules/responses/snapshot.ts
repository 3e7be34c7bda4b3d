/**
 * The response as the events of its stream have told it so far: for a failure in mid-stream, and for
 * an answer that a backend streamed in this protocol itself.
 */
import { asText } from '../as-text';
import { isRecord } from '../failed-answer';
import type { Item, ResponseObject } from './response-object';

type Event = Readonly<Record<string, unknown>>;

/** By event: the member of the part (or, without a part, of the item) that its `delta` adds to. */
const DELTAS: ReadonlyMap<unknown, { readonly list: 'content' | 'summary' | null; readonly member: string }> = new Map(
  Object.entries({
    'response.output_text.delta': { list: 'content', member: 'text' },
    'response.refusal.delta': { list: 'content', member: 'refusal' },
    'response.reasoning_text.delta': { list: 'content', member: 'text' },
    'response.reasoning_summary_text.delta': { list: 'summary', member: 'text' },
    'response.function_call_arguments.delta': { list: null, member: 'arguments' },
    'response.custom_tool_call_input.delta': { list: null, member: 'input' },
    'response.mcp_call_arguments.delta': { list: null, member: 'arguments' },
  } as const),
);

export class ResponseSnapshot {
  /** Of the latest event; -1 before the first. */
  sequence = -1;
  private response: ResponseObject | null = null;
  private output: Item[] = [];

  add(event: Event): void {
    const { type, sequence_number: sequence } = event;
    if (typeof sequence === 'number') this.sequence = sequence;
    if (isRecord(event['response'])) return this.take(event['response'] as ResponseObject);
    const index = Number(event['output_index'] ?? -1);
    if (type === 'response.output_item.added' || type === 'response.output_item.done') {
      if (isRecord(event['item'])) this.output[index] = structuredClone(event['item']);
      return;
    }
    const item = this.output[index];
    if (!item) return;
    this.grow(item, event);
  }

  /** Null: no event has brought the response. */
  get current(): ResponseObject | null {
    return this.response && { ...this.response, output: this.output.filter(isRecord) };
  }

  private take(response: ResponseObject): void {
    this.response = response;
    if (response.output.length > 0) this.output = structuredClone([...response.output]);
  }

  private grow(item: Item, event: Event): void {
    const { type } = event;
    if (type === 'response.content_part.added' || type === 'response.content_part.done') {
      return this.setPart(item, 'content', event['content_index'], event['part']);
    }
    if (type === 'response.reasoning_summary_part.added' || type === 'response.reasoning_summary_part.done') {
      return this.setPart(item, 'summary', event['summary_index'], event['part']);
    }
    const grows = DELTAS.get(type);
    if (!grows) return;
    const at = event[grows.list === 'summary' ? 'summary_index' : 'content_index'];
    const target = grows.list === null ? item : partOf(item, grows.list, at);
    if (target) target[grows.member] = `${asText(target[grows.member])}${asText(event['delta'])}`;
  }

  private setPart(item: Item, list: 'content' | 'summary', index: unknown, part: unknown): void {
    const parts = item[list];
    if (Array.isArray(parts) && typeof index === 'number') parts[index] = structuredClone(part);
  }
}

function partOf(item: Item, list: 'content' | 'summary', index: unknown): Item | null {
  const parts = item[list];
  const part: unknown = Array.isArray(parts) && typeof index === 'number' ? parts[index] : null;
  return isRecord(part) ? part : null;
}
