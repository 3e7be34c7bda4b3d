/**
 * The chunks of a chat answer as the events of a message. Source: Anthropic Messages API, streaming.
 *
 * | of choice 0                           | becomes                                        |
 * |---------------------------------------|------------------------------------------------|
 * | `reasoning_content` or `reasoning`    | `thinking` block without a signature           |
 * | `content`, `refusal`                  | `text` block                                   |
 * | `tool_calls`                          | `tool_use` blocks                              |
 * | finish reason, usage                  | `message_delta`                                |
 *
 * `message_start` goes with the first chunk, so nothing is said before the backend has said something.
 */
import { asText } from '../as-text';
import { finishReasonOf, readChunk, type Choice } from '../chat-chunk';
import type { ServerEvent } from '../dialects/answer-stream';
import type { ChunkTranslator, RequestFacts } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { BlockWriter } from './block-writer';
import {
  messageIdOf,
  messageUsage,
  NO_USAGE,
  stopReasonOf,
  type MessageObject,
  type MessageUsage,
} from './message-object';

export class MessageFromChat implements ChunkTranslator {
  private readonly blocks: BlockWriter;
  private begun = false;
  private ended = false;
  private finishReason: string | null = null;
  /** The stop sequence that ended the answer, where the backend tells. */
  private stoppedBy: string | null = null;
  private usage: MessageUsage | null = null;

  constructor(private readonly facts: RequestFacts) {
    this.blocks = new BlockWriter(facts.taskId);
  }

  chunk(data: string): readonly ServerEvent[] {
    const chunk = readChunk(data);
    if (!chunk) return [];
    this.usage = messageUsage(chunk.fields['usage']) ?? this.usage;
    const begin = this.begin();
    for (const choice of chunk.choices ?? []) if (choice.index === 0) this.take(choice);
    return [...begin, ...this.blocks.take()];
  }

  end(): readonly ServerEvent[] {
    const begin = this.begin();
    this.blocks.close();
    this.ended = true;
    const { stop_reason, stop_sequence, usage } = this.message();
    return [
      ...begin,
      ...this.blocks.take(),
      event('message_delta', { delta: { stop_reason, stop_sequence }, usage }),
      event('message_stop', {}),
    ];
  }

  assemble(): string {
    return JSON.stringify(this.message());
  }

  private begin(): readonly ServerEvent[] {
    if (this.begun) return [];
    this.begun = true;
    return [event('message_start', { message: { ...this.message(), content: [], usage: this.usage ?? NO_USAGE } })];
  }

  private take(choice: Choice): void {
    const delta = choice.delta ?? {};
    const reasoning = asText(delta['reasoning_content']) || asText(delta['reasoning']);
    if (reasoning !== '') this.blocks.addText('thinking', reasoning);
    const text = asText(delta['content']) + asText(delta['refusal']);
    if (text !== '') this.blocks.addText('text', text);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) for (const call of calls) if (isRecord(call)) this.takeCall(call);
    this.finishReason = finishReasonOf(choice) ?? this.finishReason;
    // vLLM and its kin tell which stop string it was.
    const { stop_reason: stop } = choice.fields;
    const stops = this.facts.body['stop_sequences'];
    if (typeof stop === 'string' && Array.isArray(stops) && stops.includes(stop)) this.stoppedBy = stop;
  }

  private takeCall(call: Record<string, unknown>): void {
    const index = typeof call['index'] === 'number' ? call['index'] : 0;
    const called = isRecord(call['function']) ? call['function'] : {};
    const { name } = called;
    this.blocks.addCall(
      index,
      typeof call['id'] === 'string' ? call['id'] : null,
      typeof name === 'string' ? name : null,
      asText(called['arguments']),
    );
  }

  private message(): MessageObject {
    const { content } = this.blocks;
    return {
      id: messageIdOf(this.facts.taskId),
      type: 'message',
      role: 'assistant',
      model: this.facts.clientModel,
      content,
      stop_reason: this.ended ? this.stopReason(content.some(({ type }) => type === 'tool_use')) : null,
      stop_sequence: this.ended ? this.stoppedBy : null,
      usage: this.usage ?? NO_USAGE,
    };
  }

  /** Some backends say `stop` after tool calls as well. */
  private stopReason(calledTools: boolean): string {
    if (this.stoppedBy !== null) return 'stop_sequence';
    const reason = stopReasonOf(this.finishReason);
    return calledTools && reason === 'end_turn' ? 'tool_use' : reason;
  }
}

function event(type: string, fields: Readonly<Record<string, unknown>>): ServerEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
