/**
 * The chunks of a chat answer as the events of a response (contract 5, T76, T90).
 *
 * | of choice 0                                        | becomes                                        |
 * |----------------------------------------------------|------------------------------------------------|
 * | `reasoning_content` or `reasoning`                 | reasoning item, `reasoning_text`               |
 * | `content`                                          | message item, `output_text`                    |
 * | `annotations`                                      | those of the open `output_text`                |
 * | `refusal`                                          | message item, `refusal`                        |
 * | `tool_calls`                                       | function call items                            |
 * | finish reason `length`, `content_filter`           | `response.incomplete` with that reason         |
 * | any other finish reason                            | `response.completed`                           |
 * | usage                                              | the final object's usage                       |
 *
 * `response.created` goes with the first chunk, so nothing is said before the backend has said something;
 * a background response was announced when it was accepted, so there only `response.in_progress` does.
 */
import { finishReasonOf, readChunk, type Choice } from '../chat-chunk';
import type { ServerEvent } from '../dialects/answer-stream';
import type { ChunkTranslator, RequestFacts } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { EventWriter } from './event-writer';
import { OutputBuilder } from './output-builder';
import { emptyResponse, type ResponseObject } from './response-object';
import { responseUsage, type ResponseUsage } from './response-usage';

/** By finish reason: why the response is incomplete. */
const INCOMPLETE: ReadonlyMap<string | null, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

export class ResponseFromChat implements ChunkTranslator {
  private readonly events: EventWriter;
  private readonly output: OutputBuilder;
  private begun = false;
  private finishReason: string | null = null;
  private usage: ResponseUsage | null = null;
  private final: ResponseObject | null = null;

  constructor(private readonly facts: RequestFacts) {
    this.events = new EventWriter(facts.eventsBefore);
    this.output = new OutputBuilder(this.events, facts.taskId);
  }

  chunk(data: string): readonly ServerEvent[] {
    const chunk = readChunk(data);
    if (!chunk) return [];
    this.begin();
    this.usage = responseUsage(chunk.fields['usage']) ?? this.usage;
    for (const choice of chunk.choices ?? []) if (choice.index === 0) this.take(choice);
    return this.events.take();
  }

  end(at: number): readonly ServerEvent[] {
    this.begin();
    const reason = INCOMPLETE.get(this.finishReason) ?? null;
    const status = reason === null ? 'completed' : 'incomplete';
    this.output.close(status);
    this.final = {
      ...this.snapshot(),
      status,
      completed_at: status === 'completed' ? Math.floor(at / 1_000) : null,
      incomplete_details: reason === null ? null : { reason },
    };
    this.events.write(`response.${status}`, { response: this.final });
    return this.events.take();
  }

  assemble(): string {
    return JSON.stringify(this.final ?? this.snapshot());
  }

  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    const response = emptyResponse(this.facts, 'in_progress');
    if (!this.facts.background) this.events.write('response.created', { response });
    this.events.write('response.in_progress', { response });
  }

  private take(choice: Choice): void {
    const delta = choice.delta ?? {};
    const reasoning = text(delta['reasoning_content']) ?? text(delta['reasoning']);
    if (reasoning !== null) this.output.addText('reasoning_text', reasoning);
    const content = text(delta['content']);
    if (content !== null) this.output.addText('output_text', content, logprobsOf(choice));
    if (Array.isArray(delta['annotations'])) {
      for (const each of delta['annotations']) if (isRecord(each)) this.output.annotate(flat(each));
    }
    const refusal = text(delta['refusal']);
    if (refusal !== null) this.output.addText('refusal', refusal);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) for (const call of calls) if (isRecord(call)) this.takeCall(call);
    this.finishReason = finishReasonOf(choice) ?? this.finishReason;
  }

  private takeCall(call: Record<string, unknown>): void {
    const index = typeof call['index'] === 'number' ? call['index'] : 0;
    const called = isRecord(call['function']) ? call['function'] : {};
    const args = called['arguments'];
    this.output.addCall(index, text(call['id']), text(called['name']), typeof args === 'string' ? args : null);
  }

  private snapshot(): ResponseObject {
    return { ...emptyResponse(this.facts, 'in_progress'), output: this.output.items, usage: this.usage };
  }
}

/** {type, url_citation: {…}} -> {type, …} */
function flat(annotation: Record<string, unknown>): Record<string, unknown> {
  const { type } = annotation;
  const inner = typeof type === 'string' ? annotation[type] : null;
  return isRecord(inner) ? { type, ...inner } : annotation;
}

function logprobsOf(choice: Choice): readonly unknown[] {
  const logprobs = choice.fields['logprobs'];
  const content = isRecord(logprobs) ? logprobs['content'] : null;
  return Array.isArray(content) ? content : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
