/** What the backend answers in the Python cases that want more than its echo. */
import {
  bytewise,
  chunk,
  completion,
  delta,
  DONE,
  errorBody,
  errorEvent,
  ev,
  fin,
  halfOpen,
  json,
  rateLimited,
  role,
  status,
  stream,
  times,
  usageChunk,
  usageOf,
  withLineEnds,
  type Answer,
} from '../../upstream';
import { KEEP_ALIVE_SEC } from '../fixture';

const whole = completion('');
const choice = (message: object, reason = 'stop', more: object = {}) => ({
  index: 0,
  message: { role: 'assistant', content: null, ...message },
  finish_reason: reason,
  ...more,
});
const says = (message: object, reason?: string): Answer => json({ ...whole, choices: [choice(message, reason)] });
const call = (name: string, args: string) => ({
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
});
const events = (...chunks: readonly object[]): Answer => stream([...chunks.map(ev), DONE]);
const at = (index: number, fields: object, reason: string | null = null) => ({
  ...delta({}),
  choices: [{ index, delta: fields, finish_reason: reason }],
});
const toolPart = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
const AB = [ev(role()), ev(chunk('a')), ev(chunk('b'))];
/** Long enough for several comments. */
const SILENCE_MS = KEEP_ALIVE_SEC * 1_000 * 4;
const silent = stream([ev(role()), ev(chunk('a')), SILENCE_MS, ev(chunk('b')), ev(fin()), DONE]);
const VECTORS = [
  [0.5, -0.25, 1],
  [0, -1.5, 2],
];
const embeddings = (list: readonly unknown[]): Answer =>
  json({
    object: 'list',
    model: 'x',
    data: list.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });
const encoded = VECTORS.map((vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64'));
const rejection = (message: string, code: number): Answer => json(errorBody(message, 'x'), { status: code });

/** By case; the last one is repeated. */
export const ANSWERS: Readonly<Record<string, readonly Answer[]>> = {
  choices: [json({ ...whole, choices: times(3, (index) => ({ ...choice({ content: `c${index}` }), index })) })],
  logprobs: [
    json({
      ...whole,
      choices: [
        choice({ content: 'a' }, 'stop', {
          logprobs: { content: [{ token: 'a', logprob: -0.25, bytes: [97], top_logprobs: [] }], refusal: null },
        }),
      ],
    }),
  ],
  'unknown-reply': [
    json({ ...whole, x_vendor: { a: [1] }, choices: [choice({ content: 'x', reasoning_content: 'because' })] }),
  ],
  'tool-call': [says(call('weather', '{"city":"Oslo"}'), 'tool_calls')],
  parse: [says({ content: '{"city":"Oslo","celsius":-3.5}' })],
  'parse-refusal': [says({ refusal: 'no' })],
  'parse-length': [says({ content: '{"city":' }, 'length')],
  'parse-filter': [says({ content: '' }, 'content_filter')],
  'parse-tool': [says(call('Place', '{"city":"Oslo","celsius":1}'), 'tool_calls')],
  'stream-usage': [events(role(), chunk('a'), fin(), usageChunk(usageOf(3, 1)))],
  'stream-no-usage': [events(role(), chunk('a'), fin(), usageChunk(usageOf(3, 1)))],
  'stream-helper': [events(role(), chunk('a'), chunk('b'), chunk('c'), fin())],
  'stream-async-helper': [events(role(), chunk('a'), chunk('b'), chunk('c'), fin())],
  'stream-parse': [events(role(), chunk('{"city":"Os'), chunk('lo","celsius":12}'), fin())],
  'stream-tools': [
    events(
      role(),
      toolPart({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }),
      toolPart({ function: { arguments: '{"x":' } }),
      toolPart({ function: { arguments: '1}' } }),
      fin('tool_calls'),
    ),
  ],
  'stream-choices': [
    events(
      at(0, { role: 'assistant', content: 'a' }),
      at(1, { role: 'assistant', content: 'x' }),
      at(1, { content: 'y' }),
      at(0, { content: 'b' }),
      at(0, {}, 'stop'),
      at(1, {}, 'stop'),
    ),
  ],
  'stream-comments': [silent],
  'stream-comments-async': [silent],
  'stream-multibyte': [stream([...bytewise(ev(chunk('안녕🦀'))), ev(fin()), DONE])],
  'stream-crlf': [stream([...AB, ev(fin()), DONE].map((event) => withLineEnds(event, '\r\n')))],
  'stream-no-done': [stream([...AB, ev(fin())])],
  'stream-cut': [stream(AB, { then: 'fin' })],
  'stream-cut-helper': [stream(AB, { then: 'reset' })],
  'stream-error': [errorEvent(AB, errorBody('overloaded').error)],
  'stream-leave': [stream(AB, { then: 'stall' })],
  'upstream-400': [json(errorBody('Too long.', 'invalid_request_error', 'context_length_exceeded'), { status: 400 })],
  'upstream-401': [status(401)],
  'upstream-409': [json({ error: { message: 'Busy.', type: 'None', param: 'None', code: 'None' } }, { status: 409 })],
  'upstream-422': [json({ error: { message: 'No.', type: null, param: null, code: null } }, { status: 422 })],
  'upstream-429': [rateLimited({ 'retry-after-ms': 1 })],
  'upstream-500': [status(500)],
  'upstream-500-stream': [status(500)],
  'retry-after': [rateLimited({ 'retry-after': '0.3' }), json(completion('second'))],
  deadline: [halfOpen],
  timeout: [halfOpen],
  'cancel-async': [halfOpen],
  'embed-default': [embeddings(VECTORS)],
  'embed-float': [embeddings(encoded)],
  'embed-base64': [embeddings(VECTORS)],
  'embed-async': [embeddings(VECTORS)],
  'embed-rejects': [rejection('unknown field encoding_format', 422), embeddings(VECTORS)],
};
