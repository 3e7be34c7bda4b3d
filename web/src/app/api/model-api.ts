import { inject, Service } from '@angular/core';
import { HttpTransport } from './http-transport';

export interface ListedModel {
  id: string;
  owned_by: string;
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface CompletionRequest {
  model: string;
  messages: ChatMessage[];
  temperature?: number;
  max_tokens?: number;
}

/** A request may wait in the queue for its whole deadline (285 s) before its headers come. */
const completionHeadersWithinMs = 300_000;

/** The OpenAI-compatible routes, used with the cookie session. */
@Service()
export class ModelApi {
  private readonly http = inject(HttpTransport);

  async models(): Promise<ListedModel[]> {
    return (await this.http.json<{ data: ListedModel[] }>('/v1/models')).data;
  }

  stream(request: CompletionRequest, signal: AbortSignal): Promise<Response> {
    return this.http.open('/v1/chat/completions', {
      method: 'POST',
      accept: 'text/event-stream',
      body: { ...request, stream: true, stream_options: { include_usage: true } },
      signal,
      headersWithinMs: completionHeadersWithinMs,
    });
  }
}
