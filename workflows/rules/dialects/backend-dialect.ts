/** A protocol that backends speak in place of chat completions, in terms of them. */
import type { Body, Translated } from './client-dialect';

/** Turns the events of a backend's stream into chat chunks. */
export interface EventDecoder {
  /** What one event's `data` says, as `data` of a chat stream: chunks, an error object, `[DONE]`. */
  decode(data: string): readonly string[];
}

export interface BackendDialect {
  request(chatBody: Body): Translated;
  /** A plain answer as a chat completion's JSON, an error as it is; null: it is neither. */
  answer(text: string): string | null;
  decoder(): EventDecoder;
}
