/**
 * The events of a Responses stream as chat chunks.
 *
 * | event                                                 | chunk                                            |
 * |-------------------------------------------------------|--------------------------------------------------|
 * | `response.created`                                    | role                                             |
 * | `response.output_text.delta`, `refusal.delta`         | `content`, `refusal`                             |
 * | `response.reasoning_text.delta`, `…summary_text.delta`| `reasoning_content`                              |
 * | a function call is added                              | tool call with id and name                       |
 * | its arguments' deltas, or all of them if none came    | tool call arguments                              |
 * | `response.completed`, `response.incomplete`           | finish reason, then usage, then `[DONE]`         |
 * | `error`, `response.failed`                            | an error object                                  |
 * | any other `response.*`                                | nothing                                          |
 * | anything else                                         | as it is, for the reader of chat streams to judge |
 */
import type { EventDecoder } from '../dialects/backend-dialect';
import { isRecord } from '../failed-answer';
import { chatUsage, envelopeOf, finishReasonOfResponse } from './answer';
import type { Item } from './input-items';

const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['response.output_text.delta', 'content'],
  ['response.refusal.delta', 'refusal'],
  ['response.reasoning_text.delta', 'reasoning_content'],
  ['response.reasoning_summary_text.delta', 'reasoning_content'],
]);

export class ResponseEventDecoder implements EventDecoder {
  private envelope: Item = envelopeOf({});
  /** By output index: the call's place among the calls, and whether any of its arguments came. */
  private readonly calls = new Map<unknown, { readonly index: number; argued: boolean }>();

  decode(data: string): readonly string[] {
    const event = parsed(data);
    const type = event?.['type'];
    if (!event || typeof type !== 'string') return [data];
    if (type === 'error' || type === 'response.failed') return [errorOf(event)];
    if (!type.startsWith('response.')) return [];
    const response = isRecord(event['response']) ? event['response'] : null;
    if (response) this.envelope = { ...envelopeOf(response) };
    const member = TEXTS.get(type);
    if (member !== undefined) return [this.chunk({ [member]: event['delta'] })];
    return this.other(type, event, response);
  }

  private other(type: string, event: Item, response: Item | null): readonly string[] {
    const item = isRecord(event['item']) ? event['item'] : {};
    switch (type) {
      case 'response.created':
        return [this.chunk({ role: 'assistant', content: '' })];
      case 'response.output_item.added':
        return item['type'] === 'function_call' ? [this.openCall(event['output_index'], item)] : [];
      case 'response.function_call_arguments.delta':
        return this.argue(event['output_index'], event['delta']);
      case 'response.function_call_arguments.done':
        return this.calls.get(event['output_index'])?.argued === false
          ? this.argue(event['output_index'], event['arguments'])
          : [];
      case 'response.completed':
      case 'response.incomplete':
        return this.end(response ?? {});
      default:
        return [];
    }
  }

  private openCall(outputIndex: unknown, item: Item): string {
    const index = this.calls.size;
    const args = typeof item['arguments'] === 'string' ? item['arguments'] : '';
    this.calls.set(outputIndex, { index, argued: args !== '' });
    const called = { name: item['name'], arguments: args };
    return this.chunk({ tool_calls: [{ index, id: item['call_id'], type: 'function', function: called }] });
  }

  private argue(outputIndex: unknown, args: unknown): readonly string[] {
    const call = this.calls.get(outputIndex);
    if (!call) return [];
    call.argued = true;
    return [this.chunk({ tool_calls: [{ index: call.index, function: { arguments: args } }] })];
  }

  private end(response: Item): readonly string[] {
    const usage = chatUsage(response['usage']);
    const finish = this.chunk({}, finishReasonOfResponse(response, this.calls.size > 0));
    const usageChunk = usage ? [JSON.stringify({ ...this.head(), choices: [], usage })] : [];
    return [finish, ...usageChunk, '[DONE]'];
  }

  private chunk(delta: Item, finishReason: string | null = null): string {
    return JSON.stringify({ ...this.head(), choices: [{ index: 0, delta, finish_reason: finishReason }] });
  }

  private head(): Item {
    return { ...this.envelope, object: 'chat.completion.chunk' };
  }
}

function errorOf(event: Item): string {
  const response = isRecord(event['response']) ? event['response'] : null;
  const { type: _type, sequence_number: _number, ...flat } = event;
  const error = response ? response['error'] : (event['error'] ?? flat);
  return JSON.stringify({ error: error || { message: 'the response failed', type: 'server_error' } });
}

function parsed(data: string): Item | null {
  try {
    const event: unknown = JSON.parse(data);
    return isRecord(event) ? event : null;
  } catch {
    return null; // A broken line; the chat stream counts it.
  }
}
