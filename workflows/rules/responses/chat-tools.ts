/** Tools, tool choice and output format of the Responses API in chat's words. @throws Untranslatable */
import { isRecord } from '../failed-answer';
import { Untranslatable } from '../dialects/untranslatable';
import type { Item } from './response-object';

export function chatTools(tools: unknown): readonly Item[] | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return undefined;
  return tools.map((tool: unknown, index) => {
    const { type, ...called } = isRecord(tool) ? tool : {};
    if (type !== 'function') {
      throw new Untranslatable(
        `tools[${index}].type`,
        `This model's backend speaks chat completions only, which have no '${String(type)}' tools.`,
      );
    }
    return { type: 'function', function: withoutNulls(called) };
  });
}

export function chatToolChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return choice ?? undefined;
  const { type, name, mode, tools } = choice;
  if (type === 'function') return { type, function: { name } };
  if (type === 'allowed_tools' && Array.isArray(tools)) {
    const allowed = tools.filter(isRecord).map((tool) => ({ type: 'function', function: { name: tool['name'] } }));
    return { type, allowed_tools: { mode, tools: allowed } };
  }
  throw new Untranslatable('tool_choice.type', `Chat completions have no tool choice '${String(type)}'.`);
}

/** `text.format` as `response_format`; undefined: plain text. */
export function chatFormat(text: unknown): unknown {
  const format = isRecord(text) ? text['format'] : null;
  if (!isRecord(format) || format['type'] === 'text') return undefined;
  if (format['type'] !== 'json_schema') return format;
  const { type, ...schema } = format;
  return { type, json_schema: withoutNulls(schema) };
}

function withoutNulls(fields: Item): Item {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
