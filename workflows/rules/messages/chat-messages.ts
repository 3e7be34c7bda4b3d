/**
 * Anthropic messages as chat messages. Source: Anthropic Messages API reference.
 *
 * | block                          | becomes                                                             |
 * |--------------------------------|---------------------------------------------------------------------|
 * | `text`                         | text part                                                           |
 * | `image` (base64, url)          | `image_url` part, base64 as a data URL                              |
 * | `document` (base64)            | `file` part; plain text and text content become text parts          |
 * | `tool_use` of the assistant    | tool call                                                           |
 * | `tool_result` of the user      | `tool` message, before the rest of that turn; images go to the turn |
 * | `thinking`, `redacted_thinking`| nothing: chat has no place for it                                   |
 * | anything else                  | refused, naming it                                                  |
 *
 * Contents of text alone become one string, which every backend takes.
 */
import { asText } from '../as-text';
import { Untranslatable } from '../dialects/untranslatable';
import { isRecord } from '../failed-answer';

type Fields = Record<string, unknown>;

/** @throws Untranslatable */
export function chatMessages(messages: unknown): Fields[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown, index) => (isRecord(message) ? turn(message, `messages[${index}]`) : []));
}

/** `system`: a string or text blocks. @throws Untranslatable */
export function systemMessages(system: unknown): Fields[] {
  const text = Array.isArray(system)
    ? system.map((block: unknown) => (isRecord(block) ? asText(block['text']) : '')).join('\n\n')
    : asText(system);
  return text === '' ? [] : [{ role: 'system', content: text }];
}

function turn(message: Fields, param: string): Fields[] {
  const { role, content } = message;
  if (!Array.isArray(content)) return [{ role, content: content ?? '' }];
  const blocks = content.map((block: unknown, at) => ({
    block: isRecord(block) ? block : {},
    param: `${param}.content[${at}]`,
  }));
  return role === 'assistant' ? [assistantTurn(blocks)] : userTurn(blocks);
}

interface Placed {
  readonly block: Fields;
  readonly param: string;
}

function assistantTurn(blocks: readonly Placed[]): Fields {
  const texts: string[] = [];
  const calls: Fields[] = [];
  for (const { block, param } of blocks) {
    switch (block['type']) {
      case 'text':
        texts.push(asText(block['text']));
        break;
      case 'tool_use':
        calls.push({
          id: block['id'],
          type: 'function',
          function: { name: block['name'], arguments: JSON.stringify(block['input'] ?? {}) },
        });
        break;
      case 'thinking':
      case 'redacted_thinking':
        break;
      default:
        throw unknown(block, param);
    }
  }
  const content = texts.length === 0 ? null : texts.join('');
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function userTurn(blocks: readonly Placed[]): Fields[] {
  const results: Fields[] = [];
  const parts: Fields[] = [];
  for (const { block, param } of blocks) {
    if (block['type'] === 'tool_result') {
      const { content, images } = toolResult(block, param);
      results.push({ role: 'tool', tool_call_id: block['tool_use_id'], content });
      parts.push(...images);
    } else {
      parts.push(partOf(block, param));
    }
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: plain(parts) }];
}

/** Chat's `tool` messages hold text only, so what a tool shows goes to the user's turn after it. */
function toolResult(block: Fields, param: string): { content: string; images: Fields[] } {
  const { content, is_error: failed } = block;
  const parts = Array.isArray(content)
    ? content.map((part: unknown, at) => partOf(isRecord(part) ? part : {}, `${param}.content[${at}]`))
    : [{ type: 'text', text: asText(content) }];
  const text = parts.flatMap((part) => (part['type'] === 'text' ? [asText(part['text'])] : [])).join('\n');
  return {
    content: failed === true ? `Error: ${text}` : text,
    images: parts.filter((part) => part['type'] !== 'text'),
  };
}

function partOf(block: Fields, param: string): Fields {
  const source = isRecord(block['source']) ? block['source'] : {};
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: block['text'] };
    case 'image':
      return { type: 'image_url', image_url: { url: urlOf(source, `${param}.source`) } };
    case 'document':
      return documentOf(block, source, `${param}.source`);
    default:
      throw unknown(block, param);
  }
}

function documentOf(block: Fields, source: Fields, param: string): Fields {
  if (source['type'] === 'text') return { type: 'text', text: source['data'] };
  if (source['type'] === 'content') {
    const { content } = source;
    const texts = Array.isArray(content)
      ? content.map((part: unknown) => (isRecord(part) ? asText(part['text']) : ''))
      : [asText(content)];
    return { type: 'text', text: texts.join('\n') };
  }
  const filename = asText(block['title']) || 'document.pdf';
  return { type: 'file', file: { filename, file_data: urlOf(source, param) } };
}

function urlOf(source: Fields, param: string): string {
  if (source['type'] === 'base64') return `data:${asText(source['media_type'])};base64,${asText(source['data'])}`;
  if (source['type'] === 'url') return asText(source['url']);
  throw new Untranslatable(`${param}.type`, `Chat completions have no '${asText(source['type'])}' sources.`);
}

function plain(parts: readonly Fields[]): unknown {
  return parts.every((part) => part['type'] === 'text')
    ? parts.map((part) => asText(part['text'])).join('\n\n')
    : parts;
}

function unknown(block: Fields, param: string): Untranslatable {
  return new Untranslatable(`${param}.type`, `Chat completions have no '${asText(block['type'])}' blocks.`);
}
