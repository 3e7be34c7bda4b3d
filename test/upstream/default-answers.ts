/** What the upstream says when no script says otherwise: a deterministic echo of the request. */
import { json, stream } from './answers';
import type { Answer } from './script';
import { chunk, completion, DONE, ev, fin, role, usageChunk, usageOf } from './wire';

type Body = Readonly<Record<string, unknown>>;

const words = (text: string): string[] => text.match(/\s*\S+/g) ?? [];

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('');
}

const messagesOf = (body: Body): { content?: unknown }[] => (Array.isArray(body.messages) ? body.messages : []);

/** The answer's text for a chat request: what the last message said. */
export const echoOf = (body: Body): string => `echo: ${textOf(messagesOf(body).at(-1)?.content)}`;

function chat(body: Body, model: string): Answer {
  const text = echoOf(body);
  const prompt = messagesOf(body).reduce((sum, message) => sum + words(textOf(message.content)).length, 0);
  const usage = usageOf(prompt, words(text).length);
  if (body.stream !== true) return json(completion(text, usage, model));
  const wantsUsage = (body.stream_options as Body | undefined)?.include_usage === true;
  return stream([
    ev(role(model)),
    ...words(text).map((word) => ev(chunk(word, model))),
    ev(fin('stop', model)),
    ...(wantsUsage ? [ev(usageChunk(usage, model))] : []),
    DONE,
  ]);
}

function completions(body: Body, model: string): Answer {
  const prompt = [body.prompt].flat().join('\n');
  const whole = { id: 'cmpl-fake', object: 'text_completion', created: 1_700_000_000, model };
  const piece = (text: string, reason: string | null) => ({
    ...whole,
    choices: [{ index: 0, text, finish_reason: reason }],
  });
  if (body.stream !== true) {
    return json({
      ...piece(`echo: ${prompt}`, 'stop'),
      usage: usageOf(words(prompt).length, words(prompt).length + 1),
    });
  }
  return stream([...words(`echo: ${prompt}`).map((word) => ev(piece(word, null))), ev(piece('', 'stop')), DONE]);
}

/** Eight numbers that depend on the text and on nothing else; all are exact in float32. */
export function vectorOf(text: string): number[] {
  const vector = Array.from({ length: 8 }, () => 0);
  [...Buffer.from(text)].forEach((byte, i) => (vector[i % 8] = ((vector[i % 8] ?? 0) + byte / 256) % 1));
  return vector;
}

function embeddings(body: Body, model: string): Answer {
  const inputs = (Array.isArray(body.input) ? body.input : [body.input]).map(String);
  const encode = (vector: number[]): number[] | string =>
    body.encoding_format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
  const data = inputs.map((input, index) => ({ object: 'embedding', index, embedding: encode(vectorOf(input)) }));
  const tokens = inputs.reduce((sum, input) => sum + words(input).length, 0);
  return json({ object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

function responses(body: Body, model: string): Answer {
  const input = Array.isArray(body.input) ? textOf(body.input.at(-1)?.content) : textOf(body.input);
  const text = `echo: ${input}`;
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = { id: 'msg_fake', type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const base = { id: 'resp_fake', object: 'response', created_at: 1_700_000_000, model, error: null, output: [] };
  const usage = { input_tokens: words(input).length, output_tokens: words(text).length };
  const done = {
    ...base,
    status: 'completed',
    output: [item],
    usage: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
  };
  if (body.stream !== true) return json(done);
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const events: Record<string, unknown>[] = [
    { type: 'response.created', response: { ...base, status: 'in_progress' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...words(text).map((word) => ({ type: 'response.output_text.delta', ...at, delta: word, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: done },
  ];
  return stream(events.map((event, i) => `event: ${event.type}\n${ev({ ...event, sequence_number: i })}`));
}

const OPERATIONS: Readonly<Record<string, (body: Body, model: string) => Answer>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': completions,
  '/v1/embeddings': embeddings,
  '/v1/responses': responses,
};

export function defaultAnswer(path: string, body: unknown, model: string | null): Answer {
  const operation = OPERATIONS[path];
  if (!operation)
    return json(
      { error: { message: `no such path ${path}`, type: 'invalid_request_error', param: null, code: 'unknown_url' } },
      { status: 404 },
    );
  if (typeof body !== 'object' || body === null) {
    return json(
      { error: { message: 'the body is not JSON', type: 'invalid_request_error', param: null, code: 'invalid_json' } },
      { status: 400 },
    );
  }
  return operation(body as Body, model ?? 'fake');
}

export const modelList = (ids: readonly string[]): Answer =>
  json({ object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'fake' })) });
