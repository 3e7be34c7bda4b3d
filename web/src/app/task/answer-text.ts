/** The readable part of a stored answer of any operation; null when there is none. */
export function answerText(body: unknown): string | null {
  const choices = list(body, 'choices');
  if (choices)
    return joined(choices.map((choice) => text(field(choice, 'message'), 'content') ?? text(choice, 'text')));
  const output = list(body, 'output');
  if (output) return joined(output.flatMap((item) => (list(item, 'content') ?? []).map((part) => text(part, 'text'))));
  const content = list(body, 'content');
  if (content) return joined(content.map((block) => text(block, 'text')));
  return null;
}

function joined(parts: (string | null)[]): string | null {
  const found = parts.filter((part) => part !== null);
  return found.length > 0 ? found.join('\n\n') : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function list(value: unknown, name: string): unknown[] | null {
  const found = field(value, name);
  return Array.isArray(found) ? found : null;
}

function text(value: unknown, name: string): string | null {
  const found = field(value, name);
  return typeof found === 'string' ? found : null;
}
