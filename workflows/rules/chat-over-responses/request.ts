/**
 * A chat request as the Responses request that asks the same, for a backend that speaks nothing else.
 * Fields of chat that the other API has no word for go along untouched, so the backend judges them.
 *
 * | chat                                    | Responses                              |
 * |-----------------------------------------|----------------------------------------|
 * | `messages`                              | `input`                                |
 * | `max_completion_tokens`, `max_tokens`   | `max_output_tokens`                    |
 * | `tools`, `tool_choice`                  | the same, functions unwrapped          |
 * | `response_format`, `verbosity`          | `text.format`, `text.verbosity`        |
 * | `reasoning_effort`                      | `reasoning.effort`                     |
 * | `logprobs`                              | the include of logprobs                |
 * | `stream_options`                        | nothing: usage always comes            |
 * | `n` above 1                             | refused: a response is one answer      |
 */
import { refused, type Body, type Translated } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { inputItems, type Item } from './input-items';

const TRANSLATED: ReadonlySet<string> = new Set([
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'n',
  'reasoning_effort',
  'response_format',
  'store',
  'stream_options',
  'tool_choice',
  'tools',
  'verbosity',
]);

export function responsesRequestOf(body: Body): Translated {
  const { n, reasoning_effort: effort, logprobs } = body;
  if (typeof n === 'number' && n > 1) {
    return refused('n', "This model's backend speaks the Responses API only, which gives one answer a request.");
  }
  const kept = Object.entries(body).filter(([name, value]) => !TRANSLATED.has(name) && value !== null);
  const translated = {
    input: inputItems(body['messages']),
    max_output_tokens: body['max_completion_tokens'] ?? body['max_tokens'] ?? undefined,
    tools: toolsOf(body['tools']),
    tool_choice: toolChoiceOf(body['tool_choice']),
    text: textOf(body),
    reasoning: effort === undefined || effort === null ? undefined : { effort },
    include: logprobs === true ? ['message.output_text.logprobs'] : undefined,
    store: false,
  };
  const said = Object.entries(translated).filter(([, value]) => value !== undefined);
  return { kind: 'body', body: Object.fromEntries([...kept, ...said]) };
}

function toolsOf(tools: unknown): readonly Item[] | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return tools.filter(isRecord).map((tool) => unwrapped(tool, 'function'));
}

function toolChoiceOf(choice: unknown): unknown {
  if (!isRecord(choice)) return choice ?? undefined;
  if (choice['type'] !== 'allowed_tools') return unwrapped(choice, 'function');
  const allowed = isRecord(choice['allowed_tools']) ? choice['allowed_tools'] : {};
  return { type: 'allowed_tools', mode: allowed['mode'], tools: toolsOf(allowed['tools']) };
}

function textOf({ response_format: format, verbosity }: Body): Item | undefined {
  const formats = isRecord(format) ? { format: unwrapped(format, 'json_schema') } : {};
  const said = { ...formats, ...(verbosity === undefined || verbosity === null ? {} : { verbosity }) };
  return Object.keys(said).length === 0 ? undefined : said;
}

/** {type, inner: {…}} -> {type, …} */
function unwrapped(wrapped: Item, inner: string): Item {
  const { [inner]: content, ...rest } = wrapped;
  return isRecord(content) ? { ...rest, ...content } : wrapped;
}
