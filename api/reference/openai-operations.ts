/** What the reference says of the OpenAI-compatible routes; a spec compares the list with the router. */
export interface OpenAiOperation {
  readonly method: 'GET' | 'POST';
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
    summary: 'A response, plain or streamed. Backends that speak chat completions alone serve it by translation.',
  },
  { method: 'GET', path: '/v1/models', summary: 'The models that can be asked for.' },
  { method: 'GET', path: '/v1/models/*name', summary: 'One model; its name may hold slashes.' },
];
