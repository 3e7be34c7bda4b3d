/** Reads a stream as a client sees it: every network read, every event, with times. */
export interface SeenEvent {
  readonly event: string | null;
  readonly data: string;
  /** Milliseconds of `performance.now()` at which its last byte was read. */
  readonly at: number;
}

export interface SeenStream {
  /** All bytes as text. */
  readonly text: string;
  readonly events: readonly SeenEvent[];
  /** Events that ended in each network read. */
  readonly perRead: readonly number[];
}

/** Reads to the end; `onEvent` is told of each event as it comes. */
export async function readStream(answer: Response, onEvent?: (event: SeenEvent) => void): Promise<SeenStream> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const events: SeenEvent[] = [];
  const perRead: number[] = [];
  let text = '';
  let rest = '';
  for await (const bytes of answer.body ?? []) {
    const part = decoder.decode(bytes, { stream: true });
    text += part;
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    const found = blocks.map((block) => dispatch(block, performance.now())).filter((event) => event !== null);
    for (const event of found) {
      events.push(event);
      onEvent?.(event);
    }
    perRead.push(found.length);
  }
  return { text, events, perRead };
}

function dispatch(block: string, at: number): SeenEvent | null {
  const values = (field: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${field}: `))
      .map((line) => line.slice(field.length + 2));
  const data = values('data');
  return data.length === 0 ? null : { event: values('event')[0] ?? null, data: data.join('\n'), at };
}

const json = (event: SeenEvent) => (event.data.startsWith('{') ? JSON.parse(event.data) : null);

/** The text of a chat stream's deltas, joined. */
export const contentOf = (stream: SeenStream): string =>
  stream.events.map((event) => json(event)?.choices?.[0]?.delta?.content ?? '').join('');

/** The in-band error, or null. */
export const errorOf = (
  stream: SeenStream,
): { message: string; type: string; param: string | null; code: string | null } | null =>
  stream.events.map((event) => json(event)?.error ?? null).find((error) => error !== null) ?? null;

export const endsWithDone = (stream: SeenStream): boolean => stream.events.at(-1)?.data === '[DONE]';
