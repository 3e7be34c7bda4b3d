/** Clients that ask again and again, half of them for streams, and note the one outcome of each call (oracle O3). */
import { chat, contentOf, endsWithDone, errorOf, readStream, type Soai } from '../harness';
import { DONE, ev, chunk, completion, echoOf, fin, role, stream, json, type Answer } from '../upstream';

export interface Call {
  readonly prompt: string;
  readonly stream: boolean;
  readonly taskId: string | null;
  /** `cut`: the connection broke, before the headers or in the midst of the answer. */
  readonly outcome: 'complete' | 'refused' | 'in_band_error' | 'cut';
  readonly code: string | null;
  /** The answer's text, as far as it came. */
  readonly text: string;
}

let calls = 0;

/** No two calls say the same, so that an answer tells whose it is (O4). */
export const newPrompt = (): string => `call ${(calls += 1)} one two three four five six seven eight`;

export const expectedText = (prompt: string): string => `echo: ${prompt}`;

/** Never throws: whatever happens is the call's outcome. */
export async function call(soai: Soai, model: string, streamed: boolean, more: object = {}): Promise<Call> {
  const prompt = newPrompt();
  const seen = { prompt, stream: streamed, taskId: null as string | null, code: null as string | null, text: '' };
  try {
    const messages = [{ role: 'user', content: prompt }];
    const answer = await chat(soai, model, { messages, ...(streamed ? { stream: true } : {}), ...more });
    seen.taskId = answer.headers.get('x-soai-task-id');
    if (answer.status !== 200) return { ...seen, outcome: 'refused', code: await codeOf(answer) };
    if (!streamed) {
      const body = (await answer.json()) as { choices: { message: { content: string } }[] };
      return { ...seen, outcome: 'complete', text: body.choices[0]?.message.content ?? '' };
    }
    const whole = await readStream(answer, (text) => (seen.text = textSoFar(text)));
    const error = errorOf(whole);
    if (error) return { ...seen, outcome: 'in_band_error', code: error.code };
    return { ...seen, outcome: endsWithDone(whole) ? 'complete' : 'cut', text: contentOf(whole) };
  } catch {
    return { ...seen, outcome: 'cut' };
  }
}

async function codeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    return String((JSON.parse(text) as { error: { code: string } }).error.code);
  } catch {
    return `${answer.status} without an error body`;
  }
}

function textSoFar(bytes: string): string {
  return [...bytes.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, text]) => JSON.parse(`"${text}"`) as string)
    .join('');
}

/** `clients` clients that go on until `over` resolves or one of their calls is cut, and all their calls. */
export async function keepAsking(
  soai: Soai,
  model: string,
  clients: number,
  over: Promise<unknown>,
): Promise<readonly Call[]> {
  const done: Call[] = [];
  let stop = false;
  const stopped = over.then(() => (stop = true));
  const client = async (at: number): Promise<void> => {
    while (!stop) {
      const each = await call(soai, model, at % 2 === 0);
      done.push(each);
      if (each.outcome === 'cut') return;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
  await stopped;
  return done;
}

/** `count` calls over `clients` clients. */
export async function askTimes(soai: Soai, model: string, clients: number, count: number): Promise<readonly Call[]> {
  const done: Call[] = [];
  let left = count;
  const client = async (at: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      done.push(await call(soai, model, at % 2 === 0));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => client(at)));
  return done;
}

/** A backend's answer that echoes the last message, first after `firstMs`, then a word each `wordMs`. */
export const pacedEcho =
  (firstMs: number, wordMs: number): Answer =>
  (exchange) => {
    const body = exchange.request.body as Readonly<Record<string, unknown>>;
    const text = echoOf(body);
    if (body['stream'] !== true) return json(completion(text), { beforeHead: firstMs })(exchange);
    const words = text.match(/\s*\S+/g) ?? [];
    const events = [ev(role()), ...words.map((word) => ev(chunk(word))), ev(fin()), DONE];
    return stream(events, { beforeHead: firstMs, between: wordMs })(exchange);
  };
