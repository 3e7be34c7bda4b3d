/**
 * The load tool of the bursts, in a process of its own so that it slows nobody it measures: sends `count` chat requests
 * at once, each on its own connection, and prints one JSON object with what came of them.
 *
 *   node -r ./test/register-typescript.cjs test/faults/burst-process.ts URL KEY MODEL[,MODEL…] COUNT
 */
import { request } from 'node:http';

interface Fate {
  /** HTTP status and error code, e.g. `503 queue_full`; or the socket's error, e.g. `ECONNRESET`. */
  readonly what: string;
  readonly ms: number;
}

/** What the parent reads: how many requests met which fate, and the slowest of each, ms. */
export interface BurstResult {
  readonly fates: Readonly<
    Record<string, { readonly count: number; readonly fastestMs: number; readonly slowestMs: number }>
  >;
  readonly taskIds: readonly string[];
  readonly ms: number;
}

const [url = '', key = '', models = '', count = '0'] = process.argv.slice(2);
const taskIds: string[] = [];

function one(model: string): Promise<Fate> {
  const start = performance.now();
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve) => {
    const fate = (what: string): void => resolve({ what, ms: performance.now() - start });
    const sending = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      const { statusCode, headers: got } = answer;
      if (typeof got['x-soai-task-id'] === 'string') taskIds.push(got['x-soai-task-id']);
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () => fate(statusCode === 200 ? '200' : `${statusCode} ${codeIn(text)}`));
      answer.once('error', (error: NodeJS.ErrnoException) => fate(error.code ?? error.message));
    });
    sending.once('error', (error: NodeJS.ErrnoException) => fate(error.code ?? error.message));
    sending.end(body);
  });
}

function codeIn(text: string): string {
  try {
    return String((JSON.parse(text) as { error: { code: unknown } }).error.code);
  } catch {
    return 'without an error body';
  }
}

async function main(): Promise<void> {
  const names = models.split(',');
  const start = performance.now();
  const all = await Promise.all(Array.from({ length: Number(count) }, (_, at) => one(names[at % names.length]!)));
  const fates: Record<string, { count: number; fastestMs: number; slowestMs: number }> = {};
  for (const { what, ms } of all) {
    const seen = (fates[what] ??= { count: 0, fastestMs: Infinity, slowestMs: 0 });
    seen.count += 1;
    seen.fastestMs = Math.min(seen.fastestMs, Math.round(ms));
    seen.slowestMs = Math.max(seen.slowestMs, Math.round(ms));
  }
  const result: BurstResult = { fates, taskIds, ms: Math.round(performance.now() - start) };
  process.stdout.write(JSON.stringify(result));
}

void main();
