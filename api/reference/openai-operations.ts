/** What the reference says of the OpenAI-compatible routes; a spec compares the list with the router. */
export interface OpenAiOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly summary: string;
}

export const OPENAI_OPERATIONS: readonly OpenAiOperation[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    summary: 'Chat, plain or streamed. Tools, images and unknown fields are passed on.',
  },
  { method: 'POST', path: '/v1/completions', summary: 'Text completion, plain or streamed.' },
  { method: 'POST', path: '/v1/embeddings', summary: 'Embeddings.' },
  {
    method: 'POST',
    path: '/v1/responses',
    summary:
      'A response: plain, streamed, or in the background. Backends that speak chat completions alone serve it too.',
  },
  {
    method: 'GET',
    path: '/v1/responses/:id',
    summary: 'A stored response; `?stream=true&starting_after=N` gives the events after number N and goes on.',
  },
  { method: 'DELETE', path: '/v1/responses/:id', summary: 'Deletes a stored response with all its content.' },
  { method: 'POST', path: '/v1/responses/:id/cancel', summary: 'Cancels a background response.' },
  {
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    summary: 'What the request put in; `limit` 1 to 100, `order`, `after`.',
  },
  {
    method: 'POST',
    path: '/v1/messages',
    summary:
      'Anthropic Messages, plain or streamed, with tools, for clients that speak them; errors in their words too.',
  },
  { method: 'GET', path: '/v1/models', summary: 'The models that can be asked for.' },
  { method: 'GET', path: '/v1/models/*name', summary: 'One model; its name may hold slashes.' },
];
