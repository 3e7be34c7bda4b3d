/**
 * A protocol that clients speak beside chat completions, described by what it is in terms of them: chat
 * is the hub, so one dialect a client protocol and one a backend protocol serve every pair.
 *
 *     client body --chatRequest--> chat request --> backend
 *     client events <--translator-- chat chunks (normalised, preamble held back) <-- backend
 */
import type { DescribedFailure } from '../failed-answer';
import type { ServerEvent } from './answer-stream';

export type Body = Readonly<Record<string, unknown>>;

/** What a translation needs to know of the request besides its body. */
export interface RequestFacts {
  readonly taskId: string;
  /** The name the client asked for; every answer and event carries it (D5). */
  readonly clientModel: string;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
  readonly background: boolean;
  /** The client's body, its context filled in. */
  readonly body: Body;
  /** How many events of the answer's stream the client has had before this call. */
  readonly eventsBefore: number;
}

export type Translated =
  | { readonly kind: 'body'; readonly body: Body }
  /** The other protocol has no way to say it: a client's fault, status 400, naming the parameter. */
  | { readonly kind: 'refused'; readonly failure: DescribedFailure };

/** Turns the chunks of one chat answer into the client's events. */
export interface ChunkTranslator {
  /** One chunk as JSON, choices and tool calls with their indexes. */
  chunk(data: string): readonly ServerEvent[];
  /** The answer is whole. `at`: milliseconds since the epoch. */
  end(at: number): readonly ServerEvent[];
  /** The answer so far as the plain answer's JSON. */
  assemble(): string;
}

export interface ClientDialect {
  chatRequest(body: Body): Translated;
  translator(facts: RequestFacts): ChunkTranslator;
  /** A stored answer (what `assemble` gave) as the events of a stream of which the client has had `eventsBefore`. */
  replay(answer: string, eventsBefore: number): readonly ServerEvent[];
}

/** A request that the other protocol can't express. */
export function refused(param: string, message: string): Translated {
  const error = { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' };
  return { kind: 'refused', failure: { kind: 'status', status: 400, message, body: JSON.stringify({ error }) } };
}
