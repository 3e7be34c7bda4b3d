/**
 * One backend's chat or completions stream, turned into what the client gets (spec K "Given anything", D5).
 * Deterministic: the state changes by `step` and `finish` alone, which know neither time nor I/O.
 *
 * | event from the backend                          | to the client                                            |
 * |-------------------------------------------------|----------------------------------------------------------|
 * | chunk before any content (role only, empty)     | held; released in order with the first content,          |
 * |                                                 | or once 64 events or 256 KiB are held                    |
 * | chunk with text, tool call, refusal, reasoning  | at once: from here on the client has been given something|
 * |   or a finish reason                            |                                                          |
 * | usage, in whatever chunk                        | taken out; one chunk with `choices: []` at the very end, |
 * |                                                 | only when the client asked                               |
 * | not JSON, or JSON that is no chunk              | dropped and counted                                      |
 * | error object                                    | failure; what is held is never given                     |
 * | `[DONE]`                                        | nothing: the writer adds its own                         |
 * | end, every choice seen has a finish reason      | success, with or without `[DONE]`                        |
 * | end otherwise                                   | failure `malformed`: the answer is truncated             |
 *
 * Chunks keep the backend's bytes but for `model`, which becomes the client's name, and `usage`. `choices`
 * alone is written anew when something in it must change: a choice whose first delta names no role gets
 * `assistant`, and tool calls get a steady index (`tool-call-index.ts`). Rewriting goes through JavaScript
 * numbers, so there, and only there, integers beyond 2^53 lose digits.
 */
import { ChatAssembly } from './chat-assembly';
import { type Choice, hasContent, readChunk } from './chat-chunk';
import { type DescribedFailure, isRecord, malformed, reportedFailure } from './failed-answer';
import { editMembers, type MemberEdit } from './json-edit';
import { ToolCallIndex } from './tool-call-index';
import { readUsage, type Usage } from './usage';
import type { Operation } from './vocabulary';

export interface ChatStreamOptions {
  readonly operation: Operation;
  /** The name the client asked for. */
  readonly clientModel: string;
  /** The client's `stream_options.include_usage`; the backend may be asked for usage all the same. */
  readonly includeUsage: boolean;
  readonly maxHeldEvents?: number;
  /** UTF-8 bytes. */
  readonly maxHeldBytes?: number;
}

export interface StreamStep {
  /** `data:` payloads to give the client now, in order. */
  readonly forward: readonly string[];
  readonly failure: DescribedFailure | null;
  /** True at `[DONE]`: call `finish` and read no further. */
  readonly done: boolean;
}

const NOTHING: StreamStep = { forward: [], failure: null, done: false };

export class ChatStream {
  /** True once the client has been given part of the answer: no failover after that. */
  given = false;
  /** Lines dropped because they were no chunk (T16). */
  badLines = 0;
  usage: Usage | null = null;
  private ended = false;
  private failure: DescribedFailure | null = null;
  private held: string[] = [];
  private heldBytes = 0;
  private usageChunk: string | null = null;
  private readonly assembly: ChatAssembly;
  private readonly toolCalls = new Map<number, ToolCallIndex>();

  constructor(private readonly options: ChatStreamOptions) {
    this.assembly = new ChatAssembly(options.operation);
  }

  /** One event's `data`. */
  step(data: string): StreamStep {
    if (this.ended) return NOTHING;
    if (data.trim() === '[DONE]') {
      this.ended = true;
      return { ...NOTHING, done: true };
    }
    const chunk = readChunk(data);
    const failure = chunk && reportedFailure(chunk.fields, data);
    if (failure) return this.fail(failure);
    if (!chunk?.choices) {
      this.badLines += 1;
      return NOTHING;
    }
    const carriesUsage = isRecord(chunk.fields['usage']);
    if (carriesUsage) this.captureUsage(chunk.fields['usage'], data);
    if (carriesUsage && chunk.choices.length === 0) {
      this.assembly.noteEnvelope(chunk.fields);
      return NOTHING;
    }
    const rewritten = this.rewrite(chunk.choices, data);
    this.assembly.add(chunk.fields, chunk.choices);
    return this.deliver(rewritten, chunk.choices.some(hasContent));
  }

  /** The backend's stream has ended. */
  finish(): StreamStep {
    if (this.failure) return this.fail(this.failure);
    const truncated = !this.assembly.isComplete();
    if (truncated) return this.fail(malformed('the stream ended without a finish reason'));
    this.ended = true;
    const forward = this.options.includeUsage && this.usageChunk !== null ? [this.usageChunk] : [];
    return { ...NOTHING, forward, done: true };
  }

  /** The answer so far as the plain answer's JSON, to be stored. */
  assemble(): string {
    return this.assembly.toJson(this.options.clientModel);
  }

  private fail(failure: DescribedFailure): StreamStep {
    this.ended = true;
    this.failure = failure;
    this.held = [];
    return { forward: [], failure, done: false };
  }

  private captureUsage(reported: unknown, data: string): void {
    this.usage = readUsage(reported);
    this.usageChunk = editMembers(data, { model: this.modelEdit(), choices: { kind: 'set', json: '[]' } });
  }

  /** Changes `choices` in place where they need it, so that the assembly sees what the client sees. */
  private rewrite(choices: readonly Choice[], data: string): string {
    let changed = false;
    for (const choice of choices) {
      if (this.options.operation === 'chat' && !this.assembly.hasChoice(choice.index) && nameRole(choice))
        changed = true;
      if (this.toolCallsOf(choice.index).normalise(choice.delta?.['tool_calls'])) changed = true;
    }
    const usage: MemberEdit = this.options.includeUsage ? { kind: 'replace', json: 'null' } : { kind: 'remove' };
    const edits: Record<string, MemberEdit> = { model: this.modelEdit(), usage };
    if (changed) edits['choices'] = { kind: 'replace', json: JSON.stringify(choices.map(({ fields }) => fields)) };
    return editMembers(data, edits);
  }

  private deliver(text: string, content: boolean): StreamStep {
    if (this.given) return { ...NOTHING, forward: [text] };
    this.held.push(text);
    this.heldBytes += utf8Length(text);
    const { maxHeldEvents = 64, maxHeldBytes = 262_144 } = this.options;
    if (!content && this.held.length < maxHeldEvents && this.heldBytes < maxHeldBytes) return NOTHING;
    this.given = true;
    const forward = this.held;
    this.held = [];
    return { ...NOTHING, forward };
  }

  private toolCallsOf(index: number): ToolCallIndex {
    const known = this.toolCalls.get(index) ?? new ToolCallIndex();
    this.toolCalls.set(index, known);
    return known;
  }

  private modelEdit(): MemberEdit {
    return { kind: 'set', json: JSON.stringify(this.options.clientModel) };
  }
}

/** openai-node needs a role in a choice's first delta. True: it had none. */
function nameRole(choice: Choice): boolean {
  if (choice.delta?.['role']) return false;
  const { role: _none, ...rest } = choice.delta ?? {};
  choice.delta = { role: 'assistant', ...rest };
  choice.fields['delta'] = choice.delta;
  return true;
}

function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A surrogate pair is two units and four bytes, so each half adds one.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
