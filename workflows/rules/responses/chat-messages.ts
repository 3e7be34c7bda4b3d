/**
 * Input items of the Responses API as chat messages.
 *
 * | item                                           | message                                              |
 * |------------------------------------------------|------------------------------------------------------|
 * | message, `developer` or `system`               | `system`, which every chat backend knows             |
 * | message, `user` or `assistant`                 | the same role                                        |
 * | `function_call`                                | tool call of an assistant message; neighbours share one |
 * | `function_call_output`                         | `tool`                                               |
 * | `reasoning`                                    | nothing: chat has no place for it                    |
 * | anything else                                  | refused, naming it                                   |
 *
 * Parts: `input_text`, `output_text` → text; `input_image` → `image_url`; `input_file` → `file`;
 * `input_audio` → the same; `refusal` → the same. A single text part becomes a plain string.
 */
import { asText } from '../as-text';
import { Untranslatable } from '../dialects/untranslatable';
import { isRecord } from '../failed-answer';
import type { Item } from './response-object';

export type Message = Record<string, unknown>;

/** @throws Untranslatable */
export function chatMessages(input: unknown): Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: Message[] = [];
  if (Array.isArray(input)) input.forEach((item, index) => isRecord(item) && addItem(messages, item, index));
  return messages;
}

function addItem(messages: Message[], item: Item, index: number): void {
  const param = `input[${index}]`;
  switch (item['type'] ?? 'message') {
    case 'message': {
      const role = item['role'] === 'developer' ? 'system' : item['role'];
      const content = contentOf(item['content'], `${param}.content`);
      messages.push({ role, content: role === 'assistant' ? joined(content) : content });
      return;
    }
    case 'function_call':
      return addCall(messages, item);
    case 'function_call_output': {
      const content = contentOf(item['output'], `${param}.output`);
      messages.push({ role: 'tool', tool_call_id: item['call_id'], content });
      return;
    }
    case 'reasoning':
      return;
    default:
      throw new Untranslatable(
        `${param}.type`,
        `This model's backend speaks chat completions only, which have no '${String(item['type'])}' items.`,
      );
  }
}

function addCall(messages: Message[], item: Item): void {
  const call = {
    id: item['call_id'],
    type: 'function',
    function: { name: item['name'], arguments: item['arguments'] },
  };
  const last = messages.at(-1);
  if (last?.['role'] !== 'assistant') {
    messages.push({ role: 'assistant', content: null, tool_calls: [call] });
    return;
  }
  const calls = last['tool_calls'];
  if (Array.isArray(calls)) calls.push(call);
  else last['tool_calls'] = [call];
}

function contentOf(content: unknown, param: string): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const parts = content.map((part: unknown, at) => partOf(part, `${param}[${at}]`));
  const [only] = parts;
  return parts.length === 1 && only?.['type'] === 'text' ? only['text'] : parts;
}

/** Many backends want an assistant's texts as one string. */
function joined(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const parts = content as Item[];
  return parts.every(({ type }) => type === 'text') ? parts.map(({ text }) => asText(text)).join('') : parts;
}

function partOf(part: unknown, param: string): Item {
  const fields = isRecord(part) ? part : {};
  switch (fields['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: fields['text'] };
    case 'refusal':
    case 'input_audio':
    case 'image_url':
    case 'file':
      return fields;
    case 'input_image': {
      if (typeof fields['image_url'] !== 'string')
        throw new Untranslatable(param, 'Chat completions take images by URL.');
      const { image_url: url, detail } = fields;
      return { type: 'image_url', image_url: detail === undefined ? { url } : { url, detail } };
    }
    case 'input_file': {
      const { type: _type, ...file } = fields;
      return { type: 'file', file };
    }
    default:
      throw new Untranslatable(`${param}.type`, `Chat completions have no '${String(fields['type'])}' parts.`);
  }
}
