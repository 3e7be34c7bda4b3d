/** The routes below /v1 for the OpenAPI document, from the zod contracts that judge their requests. */
import { z } from 'zod';
import { type ErrorCode, entryOf } from '../errors/catalogue';
import { jsonSchema, type JsonSchema, type Operation, type Parameter } from '../management/openapi';
import { messageRequest } from '../openai/messages/request';
import { chatRequest, completionRequest, embeddingRequest } from '../openai/requests';
import { inputItemsQuery, retrieveQuery } from '../openai/responses/queries';
import { responseRequest } from '../openai/responses/request';
import { OPENAI_OPERATIONS, type OpenAiOperation } from './openai-operations';

interface Wire {
  readonly request?: z.ZodType;
  readonly query?: z.ZodType;
  /** Members of its plain answer that are always there. */
  readonly answer: readonly string[];
  readonly streams?: true;
}

const WIRES: Readonly<Record<string, Wire>> = {
  'POST /v1/chat/completions': { request: chatRequest, answer: ['choices', 'model'], streams: true },
  'POST /v1/completions': { request: completionRequest, answer: ['choices', 'model'], streams: true },
  'POST /v1/embeddings': { request: embeddingRequest, answer: ['data', 'model'] },
  'POST /v1/responses': { request: responseRequest, answer: ['id', 'object', 'status', 'output'], streams: true },
  'GET /v1/responses/:id': { query: retrieveQuery, answer: ['id', 'object', 'status', 'output'], streams: true },
  'DELETE /v1/responses/:id': { answer: ['id', 'object', 'deleted'] },
  'POST /v1/responses/:id/cancel': { answer: ['id', 'object', 'status', 'output'] },
  'GET /v1/responses/:id/input_items': {
    query: inputItemsQuery,
    answer: ['object', 'data', 'has_more', 'first_id', 'last_id'],
  },
  'POST /v1/messages': { request: messageRequest, answer: ['type', 'role', 'content', 'model'], streams: true },
  'GET /v1/models': { answer: ['object', 'data'] },
  'GET /v1/models/*name': { answer: ['id', 'object', 'created', 'owned_by'] },
};

/** A refusal of every route below /v1. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_value',
  'invalid_api_key',
  'insufficient_permissions',
  'csrf_failed',
  'model_not_found',
  'rate_limit_exceeded',
  'database_busy',
];

/** Of those that take a body, so make a task. */
const OF_A_REQUEST: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_type',
  'missing_required_parameter',
  'no_eligible_member',
  'request_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'insufficient_storage',
  'queue_full',
  'capacity_exceeded',
  'engine_unavailable',
  'circuit_open',
  'deadline_exceeded',
  'upstream_unavailable',
  'upstream_timeout',
  'bad_upstream_response',
  'upstream_authentication_failed',
  'internal_error',
];

const parts = {
  message: z.string(),
  type: z.string(),
  param: z.string().nullable(),
  code: z.string().nullable(),
  transient: z.literal(true).optional().meta({ description: 'The same request is expected to work a little later.' }),
};

const openAiError = z.object({ error: z.object(parts) });

const messagesError = z.object({ type: z.literal('error'), error: z.object(parts), request_id: z.string() });

export const openAiSchemas = {
  OpenAiError: jsonSchema(openAiError, 'output'),
  MessagesError: jsonSchema(messagesError, 'output'),
};

export function openAiPaths(): Record<string, Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const operation of OPENAI_OPERATIONS) {
    const path = (paths[operation.path.replace(/[:*](\w+)/g, '{$1}')] ??= {});
    path[operation.method.toLowerCase()] = described(operation);
  }
  return paths;
}

function described({ method, path, summary }: OpenAiOperation): Operation {
  const wire = WIRES[`${method} ${path}`];
  if (!wire) throw new Error(`${method} ${path} has no description of what it takes and gives`);
  const { request, query } = wire;
  return {
    tags: ['openai'],
    summary,
    'x-permission': 'INFERENCE',
    security: [{ apiKey: [] }, { session: [] }],
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(request ? { requestBody: { required: true as const, content: json(jsonSchema(request, 'input')) } } : {}),
    responses: { 200: successOf(wire), ...failuresOf(path, wire) },
  };
}

const pathParameters = (path: string): Parameter[] =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));

function queryParameters(query: z.ZodType | undefined): Parameter[] {
  if (!query) return [];
  const { properties = {} } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}

function successOf({ answer, streams }: Wire) {
  const schema: JsonSchema = { type: 'object', required: [...answer] };
  return {
    description: streams ? 'The answer, or its events when a stream was asked for' : 'OK',
    content: { ...json(schema), ...(streams ? { 'text/event-stream': { schema: {} } } : {}) },
  };
}

function failuresOf(path: string, { request }: Wire): Operation['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of request ? [...ALWAYS, ...OF_A_REQUEST] : ALWAYS) {
    const { status } = entryOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const name = path === '/v1/messages' ? 'MessagesError' : 'OpenAiError';
  const content = json({ $ref: `#/components/schemas/${name}` });
  const passedOn: Operation['responses'] = request
    ? { '4XX': { description: "A backend's own refusal keeps its status.", content } }
    : {};
  return {
    ...Object.fromEntries([...byStatus].map(([status, codes]) => [status, { description: codes.join(', '), content }])),
    ...passedOn,
  };
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });
