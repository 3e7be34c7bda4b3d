/**
 * One call to one backend, its answer delivered as it comes. Decides nothing about retries: it
 * reports what happened and whether the client has been given something.
 */
import { UpstreamFailure, type Adapter, type AdapterReply, type CallDeadlines } from '../plugins/adapter';
import type { Answer, Usage } from '../store/records';
import type { Target } from '../workflows/contract';
import { ChatStream } from '../workflows/rules/chat-stream';
import { readJsonAnswer } from '../workflows/rules/json-answer';
import type { FailureFacts } from '../workflows/rules/retry';
import { faultPoint } from './fault-point';
import type { Run } from './runs';

export interface CallFailure extends FailureFacts {
  /** For a person; redacted by the adapter. */
  readonly message: string;
  readonly retryAfter?: string;
  readonly retryAfterMs?: string;
  /** The backend's error body, at most 4 KiB. */
  readonly body?: string;
}

interface CallFacts {
  readonly badLines: number;
  readonly usage: Usage | null;
  /** Wall clock of the first content given, ms. */
  readonly firstTokenAt: number | null;
}

export type CallOutcome =
  | (CallFacts & { readonly kind: 'answered'; readonly answer: Answer })
  | (CallFacts & {
      readonly kind: 'failed';
      readonly failure: CallFailure;
      /** What had been streamed, for the record. */ readonly partial: Answer | null;
    });

export interface BackendCall {
  readonly run: Run;
  readonly adapter: Adapter;
  readonly target: Target;
  readonly upstreamModel: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly deadlines: CallDeadlines;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NOTHING: CallFacts = { badLines: 0, usage: null, firstTokenAt: null };

export async function callBackend(call: BackendCall): Promise<CallOutcome> {
  const { run, adapter } = call;
  let reply: AdapterReply;
  try {
    faultPoint('during-call');
    reply = await adapter.call({
      operation: run.facts.operation,
      model: call.upstreamModel,
      body: call.body,
      stream: run.facts.stream,
      signal: call.signal,
      deadlines: call.deadlines,
      taskId: run.facts.taskId,
    });
    if (reply.kind === 'json') return readAnswer(run, reply.text);
    return await readStream(call, reply.events);
  } catch (error) {
    return { ...NOTHING, kind: 'failed', failure: failureOf(error), partial: null };
  }
}

function readAnswer(run: Run, text: string): CallOutcome {
  const read = readJsonAnswer(text, { operation: run.facts.operation, clientModel: run.facts.model });
  if (read.kind === 'failure') {
    return { ...NOTHING, kind: 'failed', failure: { ...read.facts, message: read.message }, partial: null };
  }
  return { ...NOTHING, kind: 'answered', usage: read.usage, answer: { contentType: JSON_TYPE, text: read.text } };
}

async function readStream(
  call: BackendCall,
  events: AsyncIterable<{ data: string; event: string | null }>,
): Promise<CallOutcome> {
  const { run, target } = call;
  const stream = new ChatStream({
    operation: run.facts.operation,
    clientModel: run.facts.model,
    includeUsage: wantsUsage(call.body),
  });
  let firstTokenAt: number | null = null;
  const facts = (): CallFacts => ({ badLines: stream.badLines, usage: stream.usage, firstTokenAt });
  const failed = (failure: CallFailure): CallOutcome => ({
    ...facts(),
    kind: 'failed',
    failure,
    partial: stream.given ? { contentType: JSON_TYPE, text: stream.assemble() } : null,
  });

  try {
    for await (const { data } of events) {
      const step = stream.step(data);
      if (step.forward.length > 0) {
        if (firstTokenAt === null) {
          firstTokenAt = Date.now();
          run.delivery.begin(target);
        }
        for (const chunk of step.forward) await run.delivery.event(chunk, null);
        faultPoint('mid-stream');
      }
      if (step.failure) return failed(step.failure);
      if (step.done) break;
    }
    if (call.signal.aborted) return failed({ kind: 'aborted', message: 'the call was aborted' });
    const end = stream.finish();
    for (const chunk of end.forward) await run.delivery.event(chunk, null);
    if (end.failure) return failed(end.failure);
    return { ...facts(), kind: 'answered', answer: { contentType: JSON_TYPE, text: stream.assemble() } };
  } catch (error) {
    return failed(failureOf(error));
  }
}

/** The client's `stream_options.include_usage`. */
export function wantsUsage(body: Readonly<Record<string, unknown>>): boolean {
  const options = body.stream_options as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}

function failureOf(error: unknown): CallFailure {
  if (!(error instanceof UpstreamFailure)) throw error;
  const { status, retryAfter, retryAfterMs, body } = error.details;
  return { kind: error.kind, status, message: error.message, retryAfter, retryAfterMs, body };
}
