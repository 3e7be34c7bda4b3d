/**
 * The Responses object (contract 5): every key that OpenAI's or the Open Responses' schema requires,
 * always, from what the client asked for. Numbers that were not asked for are the API's defaults.
 */
import type { Body, RequestFacts } from '../dialects/client-dialect';
import { isRecord } from '../failed-answer';
import { responseIdOf } from './ids';

export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'incomplete' | 'cancelled';

export type Item = Record<string, unknown>;

export type ResponseObject = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: ResponseStatus;
  readonly output: readonly Item[];
};

export interface ResponseError {
  readonly code: string;
  readonly message: string;
}

/** As it stands before the first item. */
export function emptyResponse(facts: RequestFacts, status: ResponseStatus): ResponseObject {
  const { body } = facts;
  return {
    id: responseIdOf(facts.taskId),
    object: 'response',
    created_at: Math.floor(facts.acceptedAt / 1_000),
    status,
    completed_at: null,
    background: facts.background,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    metadata: body['metadata'] ?? {},
    model: facts.clientModel,
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...record(body['reasoning']) },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: serviceTier(body['service_tier']),
    store: body['store'] !== false,
    temperature: body['temperature'] ?? 1,
    text: { ...record(body['text']), format: formatOf(body['text']) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: toolsOf(body['tools']),
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    presence_penalty: body['presence_penalty'] ?? 0,
    frequency_penalty: body['frequency_penalty'] ?? 0,
    truncation: body['truncation'] ?? 'disabled',
    usage: null,
    user: body['user'] ?? null,
  };
}

function record(value: unknown): Body {
  return isRecord(value) ? value : {};
}

function formatOf(text: unknown): unknown {
  return record(text)['format'] ?? { type: 'text' };
}

/** `auto` is a wish; what served it is the default tier. */
function serviceTier(asked: unknown): unknown {
  return asked === undefined || asked === null || asked === 'auto' ? 'default' : asked;
}

function toolsOf(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) return [];
  return tools.map((tool: unknown) =>
    isRecord(tool) && tool['type'] === 'function'
      ? { description: null, parameters: null, strict: null, ...tool }
      : tool,
  );
}
