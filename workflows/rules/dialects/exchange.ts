/**
 * One request as it is put to one backend, and how that backend's answer is read for the client: the
 * client's protocol on one side, the backend's on the other, chat completions between them.
 */
import { chunksOf } from '../chat-assembly';
import { ChatStream } from '../chat-stream';
import { chatOverResponses } from '../chat-over-responses/backend-dialect';
import { malformed, type DescribedFailure } from '../failed-answer';
import { readJsonAnswer, type JsonAnswer } from '../json-answer';
import { messagesDialect } from '../messages/client-dialect';
import { NativeResponses } from '../responses/native-answer';
import { nativeRequest } from '../responses/native-request';
import { NativeResponseStream } from '../responses/native-stream';
import { responsesDialect } from '../responses/client-dialect';
import type { BackendOperation, Operation } from '../vocabulary';
import type { AnswerStream, ServerEvent } from './answer-stream';
import type { BackendDialect } from './backend-dialect';
import type { Body, ClientDialect, RequestFacts } from './client-dialect';
import { PipedStream } from './piped-stream';

export interface Exchange {
  /** What the adapter is asked to do, and with which body. */
  readonly operation: BackendOperation;
  readonly body: Body;
  /** Fields of it that may be SoAI's own. */
  readonly added: readonly string[];
  /** A plain answer of the backend; `at`: milliseconds since the epoch. */
  readAnswer(text: string, at: number): JsonAnswer;
  openStream(): AnswerStream;
}

export type ExchangeOutcome =
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  /** This backend can't be asked that. */
  | { readonly kind: 'refused'; readonly failure: DescribedFailure };

export interface ExchangeRequest extends RequestFacts {
  /** What the client asked for. */
  readonly operation: Operation;
  /** What the backend is asked in: `spokenOperation`. */
  readonly spoken: BackendOperation;
}

/** What translations add by themselves. */
const ADDED = ['store', 'stream_options'];

/** Protocols of clients that are not chat completions themselves. */
const CLIENTS: Readonly<Partial<Record<Operation, ClientDialect>>> = {
  responses: responsesDialect,
  messages: messagesDialect,
};

/** Protocols of backends that are not chat completions themselves. */
const BACKENDS: Readonly<Partial<Record<Operation, BackendDialect>>> = { responses: chatOverResponses };

/** A stored answer as the events that a client of `operation` gets, beyond the `eventsBefore` it has had. */
export function replayAnswer(
  operation: Operation,
  answer: string,
  body: Body,
  eventsBefore = 0,
): readonly ServerEvent[] {
  const client = CLIENTS[operation];
  if (client) return client.replay(answer, eventsBefore);
  return chunksOf(answer, wantsUsage(body)).map((data) => ({ event: null, data }));
}

export function exchangeFor(request: ExchangeRequest): ExchangeOutcome {
  const { operation, spoken } = request;
  if (operation === 'responses' && spoken === 'responses') return { kind: 'exchange', exchange: native(request) };
  const client = CLIENTS[operation] ?? null;
  const asked = client ? client.chatRequest(request.body) : ({ kind: 'body', body: request.body } as const);
  if (asked.kind === 'refused') return asked;
  const backend = operation === spoken ? null : (BACKENDS[spoken] ?? null);
  const put = backend ? backend.request(asked.body) : asked;
  if (put.kind === 'refused') return put;
  return { kind: 'exchange', exchange: piped(request, asked.body, put.body, client, backend) };
}

/** The client's `stream_options.include_usage`. */
function wantsUsage(body: Body): boolean {
  const options = body['stream_options'] as { include_usage?: unknown } | null | undefined;
  return options?.include_usage === true;
}

function native(request: ExchangeRequest): Exchange {
  const answers = new NativeResponses(request);
  return {
    operation: 'responses',
    body: nativeRequest(request.body),
    added: ['store'],
    readAnswer: (text, at) => answers.read(text, at),
    openStream: () => new NativeResponseStream(request),
  };
}

function piped(
  request: ExchangeRequest,
  chatBody: Body,
  body: Body,
  client: ClientDialect | null,
  backend: BackendDialect | null,
): Exchange {
  const { operation, spoken, clientModel } = request;
  /** The protocol in the middle: chat, unless nothing is translated at all. */
  const hub = client || operation === 'messages' ? 'chat' : operation;
  return {
    operation: spoken,
    body,
    added: client || backend ? ADDED : [],
    readAnswer(text, at) {
      const chatText = backend ? backend.answer(text) : text;
      if (chatText === null) {
        return { kind: 'failure', ...described(malformed('the answer is not a response', text)) };
      }
      const read = readJsonAnswer(chatText, { operation: hub, clientModel });
      if (read.kind === 'failure' || !client) return read;
      const translator = client.translator(request);
      for (const chunk of chunksOf(read.text, true)) translator.chunk(chunk);
      translator.end(at);
      return { ...read, text: translator.assemble() };
    },
    openStream: () =>
      new PipedStream(
        new ChatStream({ operation: hub, clientModel, includeUsage: wantsUsage(chatBody) }),
        backend?.decoder() ?? null,
        client?.translator(request) ?? null,
      ),
  };
}

function described(facts: DescribedFailure): { facts: DescribedFailure; message: string } {
  return { facts, message: facts.message };
}
