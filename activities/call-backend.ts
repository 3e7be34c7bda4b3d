/**
 * One call to one backend, its answer delivered as it comes. Decides nothing about retries: it
 * reports what happened and whether the client has been given something.
 */
import { UpstreamFailure, type Adapter, type AdapterReply, type CallDeadlines } from '../plugins/adapter';
import type { Answer, Usage } from '../store/records';
import type { BackendOperation, Target } from '../workflows/contract';
import { withoutRejectedFields } from '../workflows/rules/dialects/added-fields';
import type { ServerEvent } from '../workflows/rules/dialects/answer-stream';
import { exchangeFor, type Exchange, type ExchangeRequest } from '../workflows/rules/dialects/exchange';
import type { FailureFacts } from '../workflows/rules/retry';
import { encodingAskedFor, inEncoding, withoutRejectedEncoding } from './embedding-encoding';
import { faultPoint } from './fault-point';
import type { Run } from './runs';
import { rejectsUsage, withUsageAsked } from './usage-request';

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
  /** The protocol this backend is asked in. */
  readonly spoken: BackendOperation;
  readonly body: Readonly<Record<string, unknown>>;
  /** How many events of the answer's stream were given before: a background stream's announcement. */
  readonly eventsBefore: number;
  readonly signal: AbortSignal;
  readonly deadlines: CallDeadlines;
  /** A stream's first content is here. */
  readonly onContent: () => void;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const NOTHING: CallFacts = { badLines: 0, usage: null, firstTokenAt: null };

export async function callBackend(call: BackendCall): Promise<CallOutcome> {
  const outcome = exchangeFor(exchangeRequest(call));
  if (outcome.kind === 'refused') return { ...NOTHING, kind: 'failed', failure: outcome.failure, partial: null };
  const { exchange } = outcome;
  const { run, target } = call;
  run.call = { pluginId: target.pluginId, progressAt: Date.now() };
  try {
    faultPoint('during-call');
    const reply = await ask(call, exchange);
    if (reply.kind === 'json') return readAnswer(call, exchange, reply.text);
    const read = await readStream(call, exchange, reply.events);
    // Before the end is recorded: whoever sees the end has to find all events before it.
    await call.run.delivery.settled();
    return read;
  } catch (error) {
    return { ...NOTHING, kind: 'failed', failure: failureOf(error), partial: null };
  } finally {
    run.call = null;
  }
}

function exchangeRequest({ run: { facts }, spoken, body, eventsBefore }: BackendCall): ExchangeRequest {
  const { taskId, operation, model, acceptedAt, background } = facts;
  return { taskId, operation, spoken, clientModel: model, acceptedAt, background, body, eventsBefore };
}

async function ask(call: BackendCall, exchange: Exchange): Promise<AdapterReply> {
  const { adapter, upstreamModel } = call;
  const asked = withUsageAsked(exchange.operation, exchange.body, adapter, upstreamModel);
  if (!asked) return askAsIs(call, exchange);
  try {
    return await askWith(call, exchange.operation, asked);
  } catch (error) {
    const failure = failureOf(error);
    if (!rejectsUsage(failure, failure.body ?? '', adapter, upstreamModel)) throw error;
    return askAsIs(call, exchange);
  }
}

/** K: once more without a field that the gateway added and the backend rejects. */
async function askAsIs(call: BackendCall, { operation, body, added }: Exchange): Promise<AdapterReply> {
  try {
    return await askWith(call, operation, body);
  } catch (error) {
    const failure = failureOf(error);
    const without =
      operation === 'embeddings'
        ? withoutRejectedEncoding(body, failure, failure.body ?? '')
        : withoutRejectedFields(body, added, failure, failure.body ?? '');
    if (without === null) throw error;
    return askWith(call, operation, without);
  }
}

function askWith(call: BackendCall, operation: BackendOperation, body: BackendCall['body']): Promise<AdapterReply> {
  const { facts } = call.run;
  return call.adapter.call({
    operation,
    model: call.upstreamModel,
    body,
    stream: facts.stream,
    signal: call.signal,
    deadlines: call.deadlines,
    taskId: facts.taskId,
  });
}

function readAnswer({ run, body }: BackendCall, exchange: Exchange, text: string): CallOutcome {
  const read = exchange.readAnswer(text, Date.now());
  if (read.kind === 'failure') return notRead({ ...read.facts, message: read.message });
  const encoded = run.facts.operation === 'embeddings' ? inEncoding(read.text, encodingAskedFor(body)) : read;
  if (encoded.kind === 'failure') return notRead(encoded.facts);
  return { ...NOTHING, kind: 'answered', usage: read.usage, answer: { contentType: JSON_TYPE, text: encoded.text } };
}

function notRead(failure: CallFailure): CallOutcome {
  return { ...NOTHING, kind: 'failed', failure, partial: null };
}

async function readStream(
  call: BackendCall,
  exchange: Exchange,
  events: AsyncIterable<{ data: string; event: string | null }>,
): Promise<CallOutcome> {
  const { run, target } = call;
  const stream = exchange.openStream();
  let firstTokenAt: number | null = null;
  const begin = (): void => {
    firstTokenAt = Date.now();
    call.onContent();
    run.delivery.begin(target);
  };
  const facts = (): CallFacts => ({ badLines: stream.badLines, usage: stream.usage, firstTokenAt });
  const failed = (failure: CallFailure): CallOutcome => ({
    ...facts(),
    kind: 'failed',
    failure,
    partial: stream.given ? { contentType: JSON_TYPE, text: stream.assemble() } : null,
  });

  try {
    for await (const { data } of events) {
      run.progress(Date.now());
      const step = stream.step(data);
      if (step.forward.length > 0) {
        if (firstTokenAt === null) begin();
        await give(run, step.forward);
        faultPoint('mid-stream');
      }
      if (step.failure) return failed(step.failure);
      if (step.done) break;
    }
    if (call.signal.aborted) return failed({ kind: 'aborted', message: 'the call was aborted' });
    const end = stream.finish(Date.now());
    if (end.forward.length > 0 && firstTokenAt === null) begin();
    await give(run, end.forward);
    if (end.failure) return failed(end.failure);
    return { ...facts(), kind: 'answered', answer: { contentType: JSON_TYPE, text: stream.assemble() } };
  } catch (error) {
    const failure = failureOf(error);
    // K: with every finish reason here, only the goodbye is missing.
    const end = failure.kind === 'transport' ? stream.finish(Date.now()) : null;
    if (!end || end.failure) return failed(failure);
    await give(run, end.forward);
    return { ...facts(), kind: 'answered', answer: { contentType: JSON_TYPE, text: stream.assemble() } };
  }
}

async function give(run: Run, events: readonly ServerEvent[]): Promise<void> {
  // A client that reads slowly is not a backend that is silent.
  run.progress(Infinity);
  for (const { data, event } of events) await run.delivery.event(data, event);
  run.progress(Date.now());
}

function failureOf(error: unknown): CallFailure {
  if (!(error instanceof UpstreamFailure)) throw error;
  const { status, retryAfter, retryAfterMs, body } = error.details;
  return { kind: error.kind, status, message: error.message, retryAfter, retryAfterMs, body };
}
