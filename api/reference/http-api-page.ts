/** `docs/http-api.md`, from the route declarations and the error catalogue. */
import { CATALOGUE, type ErrorCode, entryOf } from '../errors/catalogue';
import type { JsonSchema, OpenApiDocument, Operation } from '../management/openapi';
import { OPENAI_OPERATIONS } from './openai-operations';
import { type Field, fieldsOf, typeOf } from './schema-fields';

export function httpApiPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationSection(method.toUpperCase(), path, operation)),
  );
  return `${[INTRODUCTION, openAiSection(), '## Management API', MANAGEMENT, ...operations, errorSection()].join('\n\n')}\n`;
}

const INTRODUCTION = `# HTTP API reference

<!-- Generated from the routes and the error catalogue: node dist/api/reference/generate.js -->

Two APIs on one address: the OpenAI-compatible one below \`/v1\`, the management API below \`/api/v1\`.

**Signing in.** Send an API key as \`Authorization: Bearer sk-soai-…\` or as \`x-api-key\`; never in the URL. The WebUI
uses the cookie \`soai_session\` instead; its changing requests also carry \`x-soai-csrf\` from \`GET /api/v1/session\`.
A revoked key stops working within a second.

**Every answer** carries \`x-request-id\`. Send your own id as \`X-Client-Request-Id\` (printable ASCII, up to 512
characters) to find it in the server's log.

**Bodies** are JSON in UTF-8, up to \`SERVER.MAX_BODY_BYTES\` counted after decompression; \`gzip\`, \`br\` and \`deflate\`
are understood. At most 128 levels deep, 100,000 object members, 1,000,000 array items.`;

const MANAGEMENT = `Times are milliseconds since the epoch. Lists answer \`{"data": […], "next_cursor": …}\`. Unknown query and body
fields are refused, and a refusal names every fault. The same as a machine-readable document:
\`GET /api/v1/openapi.json\`.`;

function openAiSection(): string {
  const rows = OPENAI_OPERATIONS.map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]);
  return `## OpenAI-compatible API

${table(['Route', 'What it does'], rows)}

Bodies and answers are those of the OpenAI API; fields that are not known here go to the backend untouched. Answers
also carry \`x-soai-task-id\` (see \`GET /api/v1/tasks/{id}\`) and \`x-soai-served-by\`, the model that served.
With an \`Idempotency-Key\`, repeating a request within 24 hours gives the same task and answer instead of a second one;
another body under the same key is refused. A stream that fails after its beginning ends with one
\`data: {"error": …}\` event and without \`[DONE]\`.`;
}

function operationSection(method: string, path: string, operation: Operation): string {
  const access =
    operation['x-permission'] === 'OPEN' ? 'Open to everybody.' : `Needs \`${operation['x-permission']}\`.`;
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const parts = [`### ${method} ${path}`, `${operation.summary}. ${operation.description ?? ''}`.trim(), access];
  if (query.length > 0) {
    const rows = query.map(({ name, schema, description }) => [`\`${name}\``, bounds(schema), description ?? '']);
    parts.push('Query:', table(['Parameter', 'Type', 'Meaning'], rows));
  }
  const request = operation.requestBody?.content['application/json']?.schema;
  if (request) parts.push('Body:', fieldTable(fieldsOf(request)));
  parts.push(...answers(operation));
  return parts.join('\n\n');
}

function answers(operation: Operation): string[] {
  return Object.entries(operation.responses).flatMap(([status, { description, content }]) => {
    if (Number(status) >= 400) return [];
    const [type, schema] = Object.entries(content ?? {}).map(([name, value]) => [name, value.schema] as const)[0] ?? [];
    if (!type || !schema) return [`Answers ${status} without a body.`];
    const fields = fieldsOf(schema);
    return fields.length === 0
      ? [`Answers ${status}, \`${type}\`.`]
      : [`Answers ${status} ${description}:`, fieldTable(fields)];
  });
}

function errorSection(): string {
  const rows = (Object.keys(CATALOGUE) as ErrorCode[]).map((code) => {
    const { status, type, shouldRetry, message, hint } = entryOf(code);
    const retry = shouldRetry === null ? '' : shouldRetry ? 'yes' : 'no';
    return [`\`${code}\``, String(status), `\`${type}\``, retry, [message, hint].filter(Boolean).join(' ')];
  });
  return `## Errors

Below \`/v1\`: \`{"error": {"message", "type", "param", "code"}}\`, all four always there; \`"transient": true\` is added
where the same request is expected to work a little later. Elsewhere:
\`{"error": {"code", "message", "hint", "param", "request_id"}}\`.

"Retry" is the header \`x-should-retry\`; where it is empty the header is not sent. \`Retry-After\` is in whole seconds.
A backend's own refusal keeps its status, and its code and type where it gave them; only its 401 and 403, which are
about the server's credentials, become 502.

${table(['Code', 'Status', 'Type', 'Retry', 'Meaning'], rows)}`;
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ path, type, required, description }) => [
    `\`${path}\``,
    required ? type : `${type}, optional`,
    description,
  ]);
  return table(['Field', 'Type', 'Meaning'], rows);
}

function bounds(schema: JsonSchema): string {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  const initial = schema['default'] === undefined ? '' : `, default ${JSON.stringify(schema['default'])}`;
  return typeOf(schema) + range + initial;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
