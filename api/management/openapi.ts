/** The OpenAPI 3.1 document, made from the route declarations. */
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { OPEN } from '../auth/permissions';
import { managementError } from '../contract/management';
import { type ErrorCode, entryOf } from '../errors/catalogue';
import { MANAGEMENT_PREFIX } from './mount';
import type { Route } from './route';

export type JsonSchema = Record<string, unknown> & {
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

export interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly 'x-permission': string;
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: object };
}

export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const declared of routes) {
    const path = (paths[MANAGEMENT_PREFIX + declared.path] ??= {});
    path[declared.method.toLowerCase()] = operationOf(declared);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'SoAI management API',
      version,
      description:
        'Times are milliseconds since the epoch. Lists answer {data, next_cursor}. Every answer carries x-request-id.',
    },
    paths,
    components: {
      schemas: { Error: jsonSchema(managementError, 'output') },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, sk-soai-…; the header x-api-key works as well.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'soai_session',
          description: 'Changing requests also need x-soai-csrf.',
        },
      },
    },
  };
}

function operationOf(declared: Route): Operation {
  return {
    tags: [declared.path.split('/')[1]!],
    summary: declared.summary,
    ...(declared.description ? { description: declared.description } : {}),
    'x-permission': declared.permission,
    security: declared.permission === OPEN ? [] : [{ apiKey: [] }, { session: [] }],
    parameters: [...pathParameters(declared.path), ...queryParameters(declared.query)],
    ...(declared.request
      ? { requestBody: { required: true as const, content: jsonContent(jsonSchema(declared.request, 'input')) } }
      : {}),
    responses: { ...successOf(declared), ...failuresOf(declared) },
  };
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name!,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined): Parameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(typeof description === 'string' ? { description } : {}),
    schema,
  }));
}

function successOf(declared: Route): Operation['responses'] {
  const status = String(declared.status ?? 200);
  const description = STATUS_CODES[status] ?? 'Success';
  if (declared.response)
    return { [status]: { description, content: jsonContent(jsonSchema(declared.response, 'output')) } };
  if (declared.produces === undefined) return { [status]: { description } };
  return { [status]: { description, content: { [declared.produces]: { schema: {} } } } };
}

function failuresOf(declared: Route): Operation['responses'] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(declared)) {
    const { status } = entryOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = jsonContent({ $ref: '#/components/schemas/Error' });
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), { description: codes.join(', '), content }]),
  );
}

/** The route's own codes and those its declaration implies. */
function errorsOf(declared: Route): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...(declared.errors ?? [])];
  if (declared.query ?? declared.request) codes.push('invalid_value', 'invalid_type', 'unsupported_parameter');
  if (declared.request)
    codes.push('invalid_json', 'missing_required_parameter', 'request_too_large', 'unsupported_media_type');
  if (declared.permission !== OPEN)
    codes.push('not_signed_in', 'invalid_api_key', 'insufficient_permissions', 'database_busy');
  if (declared.permission !== OPEN && declared.method !== 'GET') codes.push('csrf_failed');
  return [...new Set(codes)];
}

function jsonContent(schema: JsonSchema): Content {
  return { 'application/json': { schema } };
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest as JsonSchema;
}
