/**
 * A Responses request as the chat request that asks the same. Fields that both APIs have, and fields
 * neither knows, go along untouched (spec K).
 *
 * | Responses                                   | chat                                             |
 * |---------------------------------------------|--------------------------------------------------|
 * | `instructions`, then `input`                | `messages`                                       |
 * | `max_output_tokens`                         | `max_tokens`, which every chat backend knows     |
 * | `text.format`, `text.verbosity`             | `response_format`, `verbosity`                   |
 * | `reasoning.effort`                          | `reasoning_effort`                               |
 * | `top_logprobs`, or the include of logprobs  | `logprobs: true`, `top_logprobs`                 |
 * | `stream`                                    | `stream`, and usage is asked for                 |
 * | `prompt`                                    | refused: only its own backend could resolve it   |
 * | store, background, metadata and the like    | nothing: they are between the client and SoAI    |
 */
import { refused, type Body, type Translated } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { Untranslatable } from '../dialects/untranslatable';
import { chatMessages, type Message } from './chat-messages';
import { chatFormat, chatToolChoice, chatTools } from './chat-tools';

/** Said here in chat's words, or not the backend's business. */
const OWN: ReadonlySet<string> = new Set([
  'background',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'previous_response_id',
  'prompt',
  'reasoning',
  'store',
  'stream_options',
  'text',
  'tool_choice',
  'tools',
  'truncation',
]);

export function chatRequestOf(body: Body): Translated {
  try {
    return { kind: 'body', body: translate(body) };
  } catch (error) {
    if (error instanceof Untranslatable) return refused(error.param, error.message);
    throw error;
  }
}

function translate(body: Body): Body {
  if (isSet(body['prompt'])) throw new Untranslatable('prompt', 'Chat completions have no stored prompts.');
  const kept = Object.entries(body).filter(([name, value]) => !OWN.has(name) && value !== null);
  const { text, reasoning, stream } = body;
  const translated = {
    messages: [...instructionsOf(body), ...chatMessages(body['input'])],
    max_tokens: body['max_output_tokens'] ?? undefined,
    tools: chatTools(body['tools']),
    tool_choice: chatToolChoice(body['tool_choice']),
    response_format: chatFormat(text),
    verbosity: isRecord(text) ? (text['verbosity'] ?? undefined) : undefined,
    reasoning_effort: isRecord(reasoning) ? (reasoning['effort'] ?? undefined) : undefined,
    logprobs: wantsLogprobs(body) ? true : undefined,
    stream_options: stream === true ? { include_usage: true } : undefined,
  };
  const said = Object.entries(translated).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...said]);
}

function instructionsOf({ instructions }: Body): Message[] {
  return typeof instructions === 'string' && instructions !== '' ? [{ role: 'system', content: instructions }] : [];
}

function wantsLogprobs({ top_logprobs: top, include }: Body): boolean {
  const included = Array.isArray(include) && include.includes('message.output_text.logprobs');
  return included || (typeof top === 'number' && top > 0);
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined;
}
