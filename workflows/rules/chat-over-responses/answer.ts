/**
 * A plain Responses answer as a chat completion. An error object stays one, for the reader of chat
 * answers to judge.
 *
 * | response                                   | choice 0                                        |
 * |--------------------------------------------|-------------------------------------------------|
 * | texts of its messages, joined              | `content`                                       |
 * | refusals                                   | `refusal`                                       |
 * | reasoning texts, or their summaries        | `reasoning_content`                             |
 * | function calls                             | `tool_calls`                                    |
 * | incomplete                                 | finish reason `length` or `content_filter`      |
 * | function calls, complete                   | `tool_calls`; otherwise `stop`                  |
 */
import { asText } from '../as-text';
import { isRecord } from '../failed-answer';
import type { Item } from './input-items';

export function chatAnswerOf(text: string): string | null {
  const response = parsed(text);
  if (!response) return null;
  if (response['error'] || response['status'] === 'failed') {
    return JSON.stringify({ error: response['error'] || { message: 'the response failed', type: 'server_error' } });
  }
  const output = response['output'];
  if (!Array.isArray(output)) return null;
  const items = output.filter(isRecord);
  const calls = items.filter(({ type }) => type === 'function_call').map(toolCall);
  const message = {
    role: 'assistant',
    content: textsOf(items, 'message', 'output_text', 'text') || null,
    refusal: textsOf(items, 'message', 'refusal', 'refusal') || null,
    ...reasoningOf(items),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return JSON.stringify({
    ...envelopeOf(response),
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishReasonOfResponse(response, calls.length > 0) }],
    usage: chatUsage(response['usage']),
  });
}

/** Id, time and model of a chat answer or chunk. */
export function envelopeOf(response: Item): Item {
  return {
    id: `chatcmpl-${asText(response['id']).replace(/^resp_/, '')}`,
    created: response['created_at'] ?? 0,
    model: response['model'] ?? '',
  };
}

export function finishReasonOfResponse(response: Item, hasCalls: boolean): string {
  if (response['status'] === 'incomplete') {
    const details = response['incomplete_details'];
    return isRecord(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length';
  }
  return hasCalls ? 'tool_calls' : 'stop';
}

export function chatUsage(usage: unknown): Item | undefined {
  if (!isRecord(usage)) return undefined;
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = usage;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    ...(isRecord(input_tokens_details) ? { prompt_tokens_details: input_tokens_details } : {}),
    ...(isRecord(output_tokens_details) ? { completion_tokens_details: output_tokens_details } : {}),
  };
}

function toolCall(item: Item): Item {
  return {
    id: item['call_id'],
    type: 'function',
    function: { name: item['name'], arguments: item['arguments'] },
  };
}

function textsOf(items: readonly Item[], itemType: string, partType: string, member: string): string {
  return items
    .filter(({ type }) => type === itemType)
    .flatMap(({ content, summary }) => [...listOf(content), ...listOf(summary)])
    .filter(({ type }) => type === partType)
    .map((part) => asText(part[member]))
    .join('');
}

function reasoningOf(items: readonly Item[]): Item {
  const text = (['reasoning_text', 'summary_text'] as const)
    .map((part) => textsOf(items, 'reasoning', part, 'text'))
    .find((each) => each !== '');
  return text === undefined ? {} : { reasoning_content: text };
}

function listOf(value: unknown): Item[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function parsed(text: string): Item | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null; // No JSON at all: no answer either.
  }
}
