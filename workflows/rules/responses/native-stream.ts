/**
 * The stream of a backend that speaks the Responses API itself, renamed and renumbered for the client.
 *
 * | event from the backend                             | to the client                                       |
 * |----------------------------------------------------|-----------------------------------------------------|
 * | `response.created`, `queued`, `in_progress`        | held; ours go out with the first content            |
 * | an empty message or reasoning item, an empty part  | held, as above                                      |
 * | any other `response.*` event                       | at once: the client has been given something        |
 * | `response.completed`, `response.incomplete`        | held for `finish`: the answer is whole              |
 * | `error`, `response.failed`                         | failure                                             |
 * | an event of some vendor's own                      | dropped: SDKs refuse types they don't know          |
 * | not JSON, or no event                              | dropped and counted                                 |
 * | end before completed or incomplete                 | failure `malformed`: the answer is truncated        |
 */
import type { AnswerStep, AnswerStream, ServerEvent } from '../dialects/answer-stream';
import type { RequestFacts } from '../dialects/client-dialect';
import { type DescribedFailure, isRecord, malformed, reportedFailure } from '../failed-answer';
import { readUsage, type Usage } from '../usage';
import { EventWriter } from './event-writer';
import { NativeIds } from './native-ids';
import { emptyResponse } from './response-object';
import { ResponseSnapshot } from './snapshot';

const MAX_HELD_EVENTS = 64;
const MAX_HELD_CHARACTERS = 262_144;
const ANNOUNCEMENTS: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress']);
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);
const NOTHING: AnswerStep = { forward: [], failure: null, done: false };

interface Held {
  readonly type: string;
  readonly fields: Record<string, unknown>;
}

export class NativeResponseStream implements AnswerStream {
  given = false;
  badLines = 0;
  usage: Usage | null = null;
  private readonly ids: NativeIds;
  private readonly events: EventWriter;
  private readonly snapshot = new ResponseSnapshot();
  private held: Held[] = [];
  private heldCharacters = 0;
  private end: { readonly type: string; readonly event: Readonly<Record<string, unknown>> } | null = null;
  private failure: DescribedFailure | null = null;

  constructor(private readonly facts: RequestFacts) {
    this.ids = new NativeIds(facts);
    this.events = new EventWriter(facts.eventsBefore);
    this.snapshot.add({ response: emptyResponse(facts, 'in_progress') });
  }

  step(data: string): AnswerStep {
    if (this.failure || this.end) return { ...NOTHING, done: true };
    if (data.trim() === '[DONE]') return { ...NOTHING, done: true };
    const event = parsed(data);
    const type = event?.['type'];
    if (!event || typeof type !== 'string') {
      const reported = event && reportedFailure(event, data);
      if (reported) return this.fail(reported);
      this.badLines += 1;
      return NOTHING;
    }
    if (type === 'error' || type === 'response.failed') return this.fail(failureOf(event, data));
    if (!type.startsWith('response.') || ANNOUNCEMENTS.has(type)) return NOTHING;
    if (ENDS.has(type)) {
      this.end = { type, event };
      const response = event['response'];
      this.usage = isRecord(response) ? readUsage(response['usage']) : null;
      return { ...NOTHING, done: true };
    }
    return this.deliver({ type, fields: this.ids.fields(event) }, data.length);
  }

  finish(at: number): AnswerStep {
    if (this.failure) return this.fail(this.failure);
    if (!this.end) return this.fail(malformed('the stream ended before its response was complete'));
    const { forward } = this.release();
    this.write(this.whole(this.end.type, this.end.event, at));
    return { forward: [...forward, ...this.events.take()], failure: null, done: true };
  }

  assemble(): string {
    return JSON.stringify(this.snapshot.current);
  }

  private whole(type: string, event: Readonly<Record<string, unknown>>, at: number): Held {
    const fields = this.ids.fields(event);
    const theirs = isRecord(event['response']) ? event['response'] : {};
    if (type === 'response.completed') fields['response'] = this.ids.completed(theirs, at);
    return { type, fields };
  }

  private deliver(held: Held, characters: number): AnswerStep {
    if (this.given) {
      this.write(held);
      return { ...NOTHING, forward: this.events.take() };
    }
    this.held.push(held);
    this.heldCharacters += characters;
    const full = this.held.length >= MAX_HELD_EVENTS || this.heldCharacters >= MAX_HELD_CHARACTERS;
    return isPreamble(held) && !full ? NOTHING : this.release();
  }

  /** The client's stream begins, or goes on. */
  private release(): AnswerStep {
    const { held } = this;
    this.held = [];
    if (!this.given) {
      this.given = true;
      const response = emptyResponse(this.facts, 'in_progress');
      if (!this.facts.background) this.events.write('response.created', { response });
      this.events.write('response.in_progress', { response });
    }
    for (const each of held) this.write(each);
    const forward: readonly ServerEvent[] = this.events.take();
    return { ...NOTHING, forward };
  }

  private write({ type, fields }: Held): void {
    this.events.write(type, fields);
    this.snapshot.add({ type, ...fields });
  }

  private fail(failure: DescribedFailure): AnswerStep {
    this.failure = failure;
    this.held = [];
    return { ...NOTHING, failure };
  }
}

function isPreamble({ type, fields }: Held): boolean {
  if (type === 'response.output_item.added') {
    const item = isRecord(fields['item']) ? fields['item'] : {};
    return item['type'] === 'message' || item['type'] === 'reasoning';
  }
  if (type === 'response.content_part.added' || type === 'response.reasoning_summary_part.added') return true;
  return type.endsWith('.delta') && fields['delta'] === '';
}

function failureOf(event: Readonly<Record<string, unknown>>, data: string): DescribedFailure {
  const response = isRecord(event['response']) ? event['response'] : null;
  const error = response ? response['error'] : (event['error'] ?? event);
  return reportedFailure({ error: error || 'the response failed' }, data) ?? malformed('the response failed', data);
}

function parsed(data: string): Record<string, unknown> | null {
  try {
    const event: unknown = JSON.parse(data);
    return isRecord(event) ? event : null;
  } catch {
    return null; // A broken line; the stream counts it.
  }
}
