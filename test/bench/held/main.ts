/**
 * Many streams held open at once: what they cost, and how late their chunks are.
 *
 *   node dist/test/bench/held/main.js STREAMS TOKENS_PER_SECOND SECONDS
 *
 * Prints one JSON object. `lateMs` is from the upstream's write to the client's read; `gapErrorMs` is how
 * far the gap between two chunks of a stream differs from the gap between their writes.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { backends, merge } from '../../harness/settings';
import { startSoai } from '../../harness/soai';
import { launchProgram } from '../child';
import { residentMiB } from '../memory';
import { quantile } from '../statistics';

const MARK = /@(\d+\.\d+) /g;
const OPEN_WITHIN_MS = 120_000;
const now = (): number => performance.timeOrigin + performance.now();

interface Seen {
  readonly late: number[];
  readonly gapErrors: number[];
  errors: number;
}

async function hold(url: string, key: string, agent: Agent, seen: Seen, begun: () => void): Promise<void> {
  try {
    const { statusCode, body } = await request(`${url}/v1/chat/completions`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
    });
    if (statusCode !== 200) throw new Error(`status ${statusCode}: ${await body.text()}`);
    let before: { readonly written: number; readonly read: number } | null = null;
    let ended = false;
    for await (const part of body) {
      const text = (part as Buffer).toString('latin1');
      const read = now();
      for (const [, mark] of text.matchAll(MARK)) {
        const written = Number(mark);
        if (before === null) begun();
        seen.late.push(read - written);
        if (before !== null) seen.gapErrors.push(Math.abs(read - before.read - (written - before.written)));
        before = { written, read };
      }
      ended ||= text.includes('[DONE]');
    }
    if (!ended) throw new Error('no end');
  } catch {
    seen.errors += 1;
    begun();
  }
}

async function main(): Promise<void> {
  const [streams = 200, perSecond = 50, seconds = 60] = process.argv.slice(2).map(Number);
  const directory = await mkdtemp(join(tmpdir(), 'held-streams-'));
  const file = join(directory, 'loop-delay.json');
  const upstream = await launchProgram(require.resolve('./upstream'), [String(perSecond), String(seconds)]);
  const soai = await startSoai({
    settings: merge(backends({ id: 'up', url: upstream.url, models: ['fake'], maxConcurrentTasks: streams }), {
      MODELS: { ROUTING: { QUEUE_CAPACITY: Math.max(1_024, streams) } },
    }),
    env: { LOOP_DELAY_FILE: file, NODE_OPTIONS: `--require ${require.resolve('./loop-delay')}` },
  });
  const agent = new Agent({
    connections: streams,
    pipelining: 1,
    headersTimeout: OPEN_WITHIN_MS,
    bodyTimeout: OPEN_WITHIN_MS,
  });
  try {
    const idle = await residentMiB(soai.pid);
    const seen: Seen = { late: [], gapErrors: [], errors: 0 };
    let open = 0;
    const begunAt = performance.now();
    const allOpen = new Promise<void>((resolve) => {
      const begun = (): void => {
        open += 1;
        if (open === streams) resolve();
      };
      const held = Array.from({ length: streams }, () => hold(soai.url, soai.key, agent, seen, begun));
      void Promise.all(held).then(() => resolve());
      whole = Promise.all(held).then(() => undefined);
    });
    await allOpen;
    const openedMs = performance.now() - begunAt;
    // From here on, what holding costs; opening is another matter.
    process.kill(soai.pid, 'SIGUSR2');
    seen.late.length = 0;
    seen.gapErrors.length = 0;
    const holdMs = Math.max(1_000, seconds * 1_000 - openedMs - 2_000);
    await new Promise((resolve) => setTimeout(resolve, holdMs));
    const held = await residentMiB(soai.pid);
    const loopDelay: unknown = JSON.parse(await readFile(file, 'utf8'));
    const chunks = seen.late.length;
    await whole;
    const figures = {
      streams,
      perSecond,
      openedMs: Math.round(openedMs),
      heldMs: Math.round(holdMs),
      chunks,
      errors: seen.errors,
      lateMs: { p50: quantile(seen.late, 0.5), p99: quantile(seen.late, 0.99) },
      gapErrorMs: { p50: quantile(seen.gapErrors, 0.5), p99: quantile(seen.gapErrors, 0.99) },
      loopDelay,
      idleMiB: idle,
      mibAStream: idle === null || held === null ? null : (held - idle) / streams,
    };
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  } finally {
    await agent.destroy();
    await soai.dispose();
    await upstream.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

let whole: Promise<void> = Promise.resolve();

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
