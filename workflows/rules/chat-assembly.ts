/**
 * Builds the plain answer out of a stream's chunks, to be stored, and a stream out of a stored answer.
 *
 * | across the chunks of one choice             | in the answer                                   |
 * |---------------------------------------------|-------------------------------------------------|
 * | strings (`content`, `reasoning`, `text`)    | joined                                          |
 * | `id`, `type`, `name`, `role`, `index`       | the first non-empty value                       |
 * | arrays whose items have an `index`          | merged item by item (tool calls)                |
 * | other arrays (log probabilities)            | joined                                          |
 * | objects                                     | merged by these rules                           |
 * | null                                        | never overwrites a value                        |
 * | anything else                               | the latest value                                |
 */
import { type Choice, finishReasonOf } from './chat-chunk';
import { isRecord } from './failed-answer';
import type { Operation } from './vocabulary';

interface Gathered {
  delta: Record<string, unknown>;
  rest: Record<string, unknown>;
  finishReason: string | null;
}

const FIRST_WINS: ReadonlySet<string> = new Set(['id', 'type', 'name', 'role', 'index']);
const OF_THE_STREAM: ReadonlySet<string> = new Set(['choices', 'object', 'model']);

export class ChatAssembly {
  private readonly choices = new Map<number, Gathered>();
  private envelope: Record<string, unknown> = {};

  constructor(private readonly operation: Operation) {}

  add(fields: Readonly<Record<string, unknown>>, choices: readonly Choice[]): void {
    this.noteEnvelope(fields);
    for (const choice of choices) {
      const gathered = this.choices.get(choice.index) ?? { delta: {}, rest: {}, finishReason: null };
      this.choices.set(choice.index, gathered);
      const { index: _index, delta: _delta, finish_reason: _reason, ...rest } = choice.fields;
      mergeInto(gathered.delta, choice.delta ?? {});
      mergeInto(gathered.rest, rest);
      gathered.finishReason = finishReasonOf(choice) ?? gathered.finishReason;
    }
  }

  /** Everything of a chunk but its choices, e.g. a final usage chunk. */
  noteEnvelope(fields: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(fields)) {
      if (!OF_THE_STREAM.has(name) && value !== null) setOwn(this.envelope, name, value);
    }
  }

  hasChoice(index: number): boolean {
    return this.choices.has(index);
  }

  /** Every choice seen has its finish reason, and there is one at least (T23). */
  isComplete(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every(({ finishReason }) => finishReason !== null);
  }

  toJson(model: string): string {
    const { usage, ...envelope } = this.envelope;
    const choices = [...this.choices]
      .sort(([a], [b]) => a - b)
      .map(([index, gathered]) => this.choiceOf(index, gathered));
    const object = this.operation === 'chat' ? 'chat.completion' : 'text_completion';
    return JSON.stringify({ ...envelope, object, model, choices, ...(usage === undefined ? {} : { usage }) });
  }

  private choiceOf(index: number, { delta, rest, finishReason }: Gathered): Record<string, unknown> {
    if (this.operation !== 'chat') return { index, text: '', ...rest, finish_reason: finishReason };
    const message: Record<string, unknown> = { role: 'assistant', content: null, ...delta };
    if (Array.isArray(message['tool_calls'])) {
      message['tool_calls'] = message['tool_calls'].map((call: unknown) =>
        isRecord(call) ? without(call, 'index') : call,
      );
    }
    return { index, message, ...rest, finish_reason: finishReason };
  }
}

/** A stored answer as the chunks of a stream: each choice whole, its end, then the usage if asked for. */
export function chunksOf(answerJson: string, includeUsage: boolean): string[] {
  const { choices, usage, object, ...envelope } = JSON.parse(answerJson) as Record<string, unknown>;
  const isChat = object !== 'text_completion';
  const head = { ...envelope, object: isChat ? 'chat.completion.chunk' : 'text_completion' };
  const chunk = (choice: Record<string, unknown>[]) =>
    JSON.stringify({ ...head, choices: choice, ...(includeUsage ? { usage: null } : {}) });
  const chunks = (Array.isArray(choices) ? choices.filter(isRecord) : []).flatMap((choice) => {
    const { message, finish_reason, ...rest } = choice;
    const body = isChat ? { ...rest, delta: numbered(isRecord(message) ? message : {}) } : rest;
    const end = isChat ? { delta: {} } : { text: '' };
    return [chunk([{ ...body, finish_reason: null }]), chunk([{ index: rest['index'], ...end, finish_reason }])];
  });
  return includeUsage && isRecord(usage) ? [...chunks, JSON.stringify({ ...head, choices: [], usage })] : chunks;
}

function numbered(message: Record<string, unknown>): Record<string, unknown> {
  const calls = message['tool_calls'];
  return Array.isArray(calls)
    ? { ...message, tool_calls: calls.map((call: object, index) => ({ index, ...call })) }
    : message;
}

function mergeInto(into: Record<string, unknown>, from: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(from)) {
    setOwn(into, name, merged(name, Object.hasOwn(into, name) ? into[name] : undefined, value));
  }
}

function merged(name: string, before: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return before ?? value;
  if (FIRST_WINS.has(name)) return before === undefined || before === null || before === '' ? value : before;
  if (typeof value === 'string') return typeof before === 'string' ? before + value : value;
  if (Array.isArray(value)) return mergedArrays(Array.isArray(before) ? before : [], value);
  if (!isRecord(value)) return value;
  const result = isRecord(before) ? before : {};
  mergeInto(result, value);
  return result;
}

function mergedArrays(before: unknown[], items: readonly unknown[]): unknown[] {
  for (const item of items) {
    const index = isRecord(item) ? item['index'] : undefined;
    const known = index === undefined ? undefined : before.find((each) => isRecord(each) && each['index'] === index);
    if (isRecord(known) && isRecord(item)) mergeInto(known, item);
    else before.push(isRecord(item) ? merged('', undefined, item) : item);
  }
  return before;
}

/** Defines even `__proto__` as plain data. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

function without(record: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
}
