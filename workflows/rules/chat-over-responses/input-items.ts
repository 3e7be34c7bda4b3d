/**
 * Chat messages as input items of the Responses API.
 *
 * | message                               | items                                                  |
 * |---------------------------------------|--------------------------------------------------------|
 * | system, developer, user               | a message of the same role                             |
 * | assistant with content                | a message, its texts `output_text`                     |
 * | assistant with tool calls             | a `function_call` each, after the message              |
 * | tool                                  | `function_call_output`                                 |
 */
import { asText } from '../as-text';
import { isRecord } from '../failed-answer';

export type Item = Record<string, unknown>;

export function inputItems(messages: unknown): Item[] {
  return Array.isArray(messages) ? messages.filter(isRecord).flatMap(itemsOf) : [];
}

function itemsOf(message: Item): Item[] {
  const { role, content, tool_calls: calls } = message;
  if (role === 'tool') {
    return [{ type: 'function_call_output', call_id: message['tool_call_id'], output: textOf(content) }];
  }
  if (role !== 'assistant') return [{ type: 'message', role, content: partsOf(content, 'input_text') }];
  const said = content === null || content === undefined || content === '';
  const own = said ? [] : [{ type: 'message', role, content: partsOf(content, 'output_text') }];
  return [...own, ...(Array.isArray(calls) ? calls.filter(isRecord).map(callItem) : [])];
}

function callItem(call: Item): Item {
  const called = isRecord(call['function']) ? call['function'] : {};
  return { type: 'function_call', call_id: call['id'], name: called['name'], arguments: called['arguments'] };
}

function partsOf(content: unknown, textType: 'input_text' | 'output_text'): unknown {
  if (!Array.isArray(content)) return content;
  return content.filter(isRecord).map((part) => {
    const { type } = part;
    if (type === 'text') return { type: textType, text: part['text'] };
    if (type === 'image_url') {
      const image = isRecord(part['image_url']) ? part['image_url'] : { url: part['image_url'] };
      return { type: 'input_image', image_url: image['url'], detail: image['detail'] ?? 'auto' };
    }
    if (type === 'file') return { type: 'input_file', ...(isRecord(part['file']) ? part['file'] : {}) };
    return part;
  });
}

function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? '';
  return content
    .filter(isRecord)
    .map(({ text }) => asText(text))
    .join('');
}
