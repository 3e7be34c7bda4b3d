/** Reads a stream as a client sees it: every network read, every event, with times. */
export interface SeenEvent {
  readonly event: string | null;
  readonly data: string;
  /** Milliseconds of `performance.now()` at which its last byte was read. */
  readonly at: number;
  /** Number of the network read that completed it. */
  readonly read: number;
}

export interface SeenStream {
  /** All bytes as text. */
  readonly text: string;
  readonly events: readonly SeenEvent[];
}

/** The events as they come. `onText` gets every read, decoded. */
export async function* follow(answer: Response, onText?: (text: string) => void): AsyncGenerator<SeenEvent> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  let read = 0;
  for await (const bytes of answer.body ?? []) {
    const part = decoder.decode(bytes, { stream: true });
    onText?.(part);
    read += 1;
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = fieldsOf(block, 'data');
      const event = fieldsOf(block, 'event')[0] ?? null;
      if (data.length > 0) yield { event, data: data.join('\n'), at: performance.now(), read };
    }
  }
}

/** Reads to the end. `onText` gets all that was read so far, after every read. */
export async function readStream(answer: Response, onText?: (text: string) => void): Promise<SeenStream> {
  const events: SeenEvent[] = [];
  let text = '';
  const take = (part: string) => {
    text += part;
    onText?.(text);
  };
  for await (const event of follow(answer, take)) events.push(event);
  return { text, events };
}

const fieldsOf = (block: string, field: string): string[] =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${field}: `))
    .map((line) => line.slice(field.length + 2));

interface Delta {
  readonly role?: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly unknown[];
}

/** What tests look at in a chunk or an in-band error. */
export interface Seen {
  readonly model?: string;
  readonly choices?: { readonly delta: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: Record<string, unknown> | null;
  readonly error?: { message: string; type: string; param: string | null; code: string | null };
}

/** The JSON of all events but `[DONE]`. */
export const chunksOf = (stream: SeenStream): Seen[] =>
  stream.events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as Seen);

/** The text of a chat stream's deltas, joined. */
export const contentOf = (stream: SeenStream): string =>
  chunksOf(stream)
    .map((chunk) => chunk.choices?.[0]?.delta.content ?? '')
    .join('');

/** The in-band error, or undefined. */
export const errorOf = (stream: SeenStream): Seen['error'] => chunksOf(stream).find((chunk) => chunk.error)?.error;

export const endsWithDone = (stream: SeenStream): boolean => stream.events.at(-1)?.data === '[DONE]';
