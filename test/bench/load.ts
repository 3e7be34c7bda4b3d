/** Load on one contestant: closed loop (clients that wait) and open loop (arrivals that don't). */
import { setTimeout as after } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Contestant } from './contestants/contestant';

/** What one run of load saw. Times are milliseconds. */
export interface LoadResult {
  /** Whole answers. Open loop: from the planned arrival, so that a stall is charged to all it delayed. */
  readonly latencies: readonly number[];
  /** To the first content of a stream. */
  readonly firstContents: readonly number[];
  readonly errors: number;
  readonly elapsedMs: number;
}

const FIRST_CONTENT = '"content":"word0';
/** An open loop stops adding to a server that no longer answers. */
const MOST_IN_FLIGHT = 2000;
const ANSWER_WITHIN_MS = 60_000;

/** `clients` connections, each asking again when it has its answer, until `requests` or `maxMs`. */
export async function closedLoop(
  contestant: Contestant,
  load: { readonly clients: number; readonly requests: number; readonly stream: boolean; readonly maxMs: number },
): Promise<LoadResult> {
  const caller = new Caller(contestant, load.clients, load.stream);
  const start = performance.now();
  let left = load.requests;
  const client = async (): Promise<void> => {
    while (left > 0 && performance.now() - start < load.maxMs) {
      left -= 1;
      await caller.call(performance.now());
    }
  };
  await Promise.all(Array.from({ length: load.clients }, client));
  return caller.finish(performance.now() - start);
}

/** Evenly spaced arrivals, whatever becomes of the earlier ones. */
export async function openLoop(
  contestant: Contestant,
  load: { readonly perSecond: number; readonly durationMs: number; readonly stream: boolean },
): Promise<LoadResult> {
  const caller = new Caller(contestant, MOST_IN_FLIGHT, load.stream);
  const gapMs = 1000 / load.perSecond;
  const start = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n * gapMs < load.durationMs; n++) {
    const planned = start + n * gapMs;
    const wait = planned - performance.now();
    if (wait > 0) await after(wait);
    if (caller.inFlight >= MOST_IN_FLIGHT) caller.errors += 1;
    else calls.push(caller.call(planned));
  }
  await Promise.all(calls);
  return caller.finish(performance.now() - start);
}

class Caller {
  errors = 0;
  inFlight = 0;
  readonly #latencies: number[] = [];
  readonly #firstContents: number[] = [];
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #body: string;

  constructor(
    contestant: Contestant,
    connections: number,
    private readonly stream: boolean,
  ) {
    const { origin, pathname } = new URL(contestant.url);
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      headersTimeout: ANSWER_WITHIN_MS,
      bodyTimeout: ANSWER_WITHIN_MS,
    });
    this.#path = `${pathname}/chat/completions`;
    this.#headers = { 'content-type': 'application/json', ...contestant.headers };
    const messages = [{ role: 'user', content: 'Tell me a short story about a lighthouse.' }];
    this.#body = JSON.stringify({ model: contestant.model, messages, stream });
  }

  /** Never throws: a failed call is counted. */
  async call(from: number): Promise<void> {
    this.inFlight += 1;
    try {
      const request = { path: this.#path, method: 'POST' as const, headers: this.#headers, body: this.#body };
      const { statusCode, body } = await this.#pool.request(request);
      const firstContent = this.stream ? await readStream(body) : await readPlain(body);
      if (statusCode !== 200 || firstContent === null) throw new Error(`not an answer: ${statusCode}`);
      this.#latencies.push(performance.now() - from);
      if (this.stream) this.#firstContents.push(firstContent - from);
    } catch {
      this.errors += 1;
    } finally {
      this.inFlight -= 1;
    }
  }

  async finish(elapsedMs: number): Promise<LoadResult> {
    await this.#pool.destroy();
    return { latencies: this.#latencies, firstContents: this.#firstContents, errors: this.errors, elapsedMs };
  }
}

type Body = AsyncIterable<Buffer> & { text(): Promise<string> };

/** Null when the answer is not the upstream's. */
async function readPlain(body: Body): Promise<number | null> {
  return (await body.text()).includes('word0') ? 0 : null;
}

/** When the first content came; null when the stream had none or no end. */
async function readStream(body: Body): Promise<number | null> {
  let firstContent: number | null = null;
  let text = '';
  for await (const part of body) {
    text += part.toString('latin1');
    if (firstContent === null && text.includes(FIRST_CONTENT)) firstContent = performance.now();
  }
  return text.includes('data: [DONE]') ? firstContent : null;
}
