/**
 * How fast the store writes on SQLite with synchronous=FULL:
 *
 *   node -r ./test/register-typescript.cjs test/bench/store-accepts.ts [seconds]
 *
 * Prints what one sync of this disk costs, then accept, claim and finish with one client, then
 * durable accepts per second with 64, and the processor time of each. The database is made in the
 * temporary directory, so TMPDIR chooses the disk; a tmpfs syncs nothing.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newTaskId } from '../../api/openai/task-id';
import { openStore } from '../../store/open-store';
import type { NewTask } from '../../store/records';
import type { Store } from '../../store/store';
import { attemptEnd, newTask, settlement, target } from '../store/samples';

const seconds = Number(process.argv[2] ?? 5);
const clients = 64;
const hardLimit = 1_000_000;
const body = JSON.stringify({ model: 'm1', messages: [{ role: 'user', content: 'x'.repeat(1_000) }] });

const task = (): NewTask => newTask({ id: newTaskId(), body, acceptedAt: Date.now() });

/** What every commit pays at least: 4 KiB appended and synced. */
async function sync(directory: string): Promise<void> {
  const file = await open(join(directory, 'sync'), 'a');
  const page = Buffer.alloc(4_096);
  const latencies: number[] = [];
  for (let index = 0; index < 200; index += 1) {
    const before = performance.now();
    await file.write(page);
    await file.datasync();
    latencies.push(performance.now() - before);
  }
  await file.close();
  process.stdout.write(`sync of this disk: ${percentiles(latencies)}\n`);
}

async function accepts(store: Store): Promise<void> {
  const latencies: number[] = [];
  const start = performance.now();
  const processor = process.cpuUsage();
  const client = async (): Promise<void> => {
    while (performance.now() - start < seconds * 1_000) {
      const before = performance.now();
      await store.tasks.accept(task(), hardLimit);
      latencies.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = Math.round(latencies.length / ((performance.now() - start) / 1_000));
  const { user, system } = process.cpuUsage(processor);
  const each = Math.round((user + system) / latencies.length);
  process.stdout.write(
    `accepts, ${clients} clients: ${perSecond}/s, ${percentiles(latencies)}, processor ${each} us each\n`,
  );
}

async function oneClient(store: Store): Promise<void> {
  const latencies = { accept: [] as number[], claim: [] as number[], finish: [] as number[] };
  const timed = async <T>(name: keyof typeof latencies, work: () => Promise<T>): Promise<T> => {
    const before = performance.now();
    const result = await work();
    latencies[name].push(performance.now() - before);
    return result;
  };
  const start = performance.now();
  while (performance.now() - start < seconds * 1_000) {
    const next = task();
    await timed('accept', () => store.tasks.accept(next, hardLimit));
    const claim = await timed('claim', () => store.queue.claim(next.id, target, 'bench', Date.now(), 30_000));
    if (!claim) throw new Error('a fresh task could not be claimed');
    await timed('finish', () => store.queue.finish(next.id, claim.fence, attemptEnd(), settlement()));
  }
  for (const [name, values] of Object.entries(latencies)) {
    process.stdout.write(`${name}, 1 client: ${percentiles(values)} (n=${values.length})\n`);
  }
}

function percentiles(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'soai-bench-'));
  const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
  try {
    await sync(dataDir);
    await oneClient(store);
    await accepts(store);
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true });
  }
}

void main();
