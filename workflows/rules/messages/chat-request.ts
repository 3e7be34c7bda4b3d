/**
 * A Messages request as the chat request that asks the same. Fields neither knows, and those both
 * have, go along untouched (spec K). Source: Anthropic Messages API reference.
 *
 * | Messages                                      | chat                                           |
 * |-----------------------------------------------|------------------------------------------------|
 * | `system`, then `messages`                     | `messages`                                     |
 * | `max_tokens`                                  | the same                                       |
 * | `stop_sequences`                              | `stop`                                         |
 * | `tools` with `input_schema`                   | function tools                                 |
 * | `tool_choice` auto, any, tool, none           | auto, required, that function, none            |
 * | `tool_choice.disable_parallel_tool_use`       | `parallel_tool_calls: false`                   |
 * | `metadata.user_id`                            | `user`                                         |
 * | `output_config.format`, `output_format`       | `response_format`                              |
 * | `service_tier`, `thinking`, `betas` and the like | nothing: they are between the client and SoAI |
 * | `stream`                                      | `stream`, and usage is asked for               |
 */
import { asText } from '../as-text';
import { refused, type Body, type Translated } from '../dialects/client-dialect';
import { Untranslatable } from '../dialects/untranslatable';
import { isRecord } from '../failed-answer';
import { chatMessages, systemMessages } from './chat-messages';

const OWN: ReadonlySet<string> = new Set([
  'anthropic_beta',
  'anthropic_version',
  'betas',
  'cache_control',
  'container',
  'context_management',
  'mcp_servers',
  'messages',
  'metadata',
  'output_config',
  'output_format',
  'service_tier',
  'stop_sequences',
  'system',
  'thinking',
  'tool_choice',
  'tools',
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
  const kept = Object.entries(body).filter(([name, value]) => !OWN.has(name) && value !== null);
  const { stop_sequences: stops, tool_choice: choice, metadata, stream } = body;
  const translated = {
    messages: [...systemMessages(body['system']), ...chatMessages(body['messages'])],
    stop: Array.isArray(stops) && stops.length > 0 ? stops : undefined,
    tools: chatTools(body['tools']),
    tool_choice: chatToolChoice(choice),
    parallel_tool_calls: isRecord(choice) && choice['disable_parallel_tool_use'] === true ? false : undefined,
    response_format: chatFormat(body),
    user: isRecord(metadata) ? (metadata['user_id'] ?? undefined) : undefined,
    stream_options: stream === true ? { include_usage: true } : undefined,
  };
  const said = Object.entries(translated).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...said]);
}

function chatTools(tools: unknown): unknown {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return tools.map((tool: unknown, index) => {
    const { type, name, description, input_schema: parameters, strict } = isRecord(tool) ? tool : {};
    if (type !== undefined && type !== null && type !== 'custom') {
      throw new Untranslatable(
        `tools[${index}].type`,
        `This model's backend speaks chat completions only, which have no '${asText(type)}' tools.`,
      );
    }
    const described = typeof description === 'string' ? { description } : {};
    const strictly = typeof strict === 'boolean' ? { strict } : {};
    return { type: 'function', function: { name, ...described, parameters, ...strictly } };
  });
}

function chatToolChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return undefined;
  switch (choice['type']) {
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice['name'] } };
    default:
      return choice['type'];
  }
}

function chatFormat(body: Body): unknown {
  const config = body['output_config'];
  const format = isRecord(config) && isRecord(config['format']) ? config['format'] : body['output_format'];
  if (!isRecord(format) || format['type'] !== 'json_schema') return undefined;
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format['schema'], strict: true } };
}
