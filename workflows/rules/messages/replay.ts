/** A stored message as the events that would have streamed it: each block one delta. */
import { asText } from '../as-text';
import type { ServerEvent } from '../dialects/answer-stream';
import { NO_USAGE, type Block, type MessageObject } from './message-object';

export function replayMessage(message: MessageObject): readonly ServerEvent[] {
  const { stop_reason, stop_sequence, usage } = message;
  const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: { ...NO_USAGE, ...usage } };
  return [
    event('message_start', { message: begun }),
    ...message.content.flatMap(replayBlock),
    event('message_delta', { delta: { stop_reason, stop_sequence }, usage }),
    event('message_stop', {}),
  ];
}

function replayBlock(block: Block, index: number): readonly ServerEvent[] {
  const [empty, ...deltas] = partsOf(block);
  return [
    event('content_block_start', { index, content_block: empty }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ];
}

/** The block as it starts, then its deltas. */
function partsOf(block: Block): readonly Block[] {
  switch (block['type']) {
    case 'text':
      return [
        { ...block, text: '' },
        { type: 'text_delta', text: asText(block['text']) },
      ];
    case 'thinking':
      return [
        { ...block, thinking: '' },
        { type: 'thinking_delta', thinking: asText(block['thinking']) },
        { type: 'signature_delta', signature: asText(block['signature']) },
      ];
    case 'tool_use':
      return [
        { ...block, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) },
      ];
    default:
      return [block];
  }
}

function event(type: string, fields: Readonly<Record<string, unknown>>): ServerEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
