/**
 * A steady load over a virtual model while one of its backends dies and comes back. Short by default;
 * SOAI_TEST_LONG=1 makes it the full run: 50 requests a second for 60 s.
 */
import { setTimeout as after } from 'node:timers/promises';
import { chat, contentOf, errorOf, readStream, chunksOf, type Soai, startSoai } from '../harness';
import { startUpstream, type Upstream } from '../upstream';
import { virtualModels } from './virtual-settings';

const LONG = process.env.SOAI_TEST_LONG === '1';
const PER_SECOND = LONG ? 50 : 10;
const LASTS_MS = LONG ? 60_000 : 9_000;

jest.setTimeout(LASTS_MS + 120_000);

let dying: Upstream;
let steady: Upstream;
let soai: Soai;

beforeAll(async () => {
  [dying, steady] = await Promise.all([startUpstream(), startUpstream()]);
  const urls = { a: dying.url, b: steady.url };
  const balanced = { name: 'balanced', strategy: 'load_balancing', urls } as const;
  soai = await startSoai({
    settings: virtualModels(steady, [{ name: 'team', urls }, balanced], {
      MODELS: {
        ROUTING: { HEALTH_CHECKS: { VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: 1, RECOVERY_TIMEOUT_SEC: 2 } },
      },
    }),
  });
}, 90_000);

afterAll(async () => {
  await soai?.dispose();
  await Promise.all([dying?.close(), steady?.close()]);
}, 60_000);

interface Reply {
  readonly ok: boolean;
  /** Failed after it had been given something: the one failure that must reach the client. */
  readonly cut: boolean;
  readonly names: ReadonlySet<unknown>;
  readonly text: string;
}

async function ask(model: string, stream: boolean): Promise<Reply> {
  const answer = await chat(soai, model, { stream });
  if (!stream || answer.status !== 200) {
    const text = await answer.text();
    return { ok: answer.status === 200, cut: false, names: new Set([JSON.parse(text).model]), text };
  }
  const seen = await readStream(answer);
  const names = new Set(chunksOf(seen).flatMap(({ model: name }) => name ?? []));
  const error = errorOf(seen);
  return { ok: error === undefined, cut: error !== undefined && contentOf(seen) !== '', names, text: seen.text };
}

test('D6: one backend dies and comes back: no request that had been given nothing fails, every reply says the virtual name', async () => {
  const { port } = dying;
  const replies: Promise<[string, Reply]>[] = [];
  const gapMs = 1_000 / PER_SECOND;
  const start = performance.now();
  for (let sent = 0; sent * gapMs < LASTS_MS; sent += 1) {
    if (sent === Math.floor(LASTS_MS / 3 / gapMs)) await dying.close();
    if (sent === Math.floor((LASTS_MS * 2) / 3 / gapMs)) dying = await startUpstream(port);
    const model = sent % 2 === 0 ? 'team' : 'balanced';
    replies.push(ask(model, sent % 3 === 0).then((reply) => [model, reply]));
    await after(Math.max(0, start + (sent + 1) * gapMs - performance.now()));
  }
  const seen = await Promise.all(replies);
  expect(seen.filter(([, { ok, cut }]) => !ok && !cut).map(([, { text }]) => text)).toEqual([]);
  for (const [model, { ok, names }] of seen) if (ok) expect([...names]).toEqual([model]);
  expect(seen.length).toBeGreaterThanOrEqual((PER_SECOND * LASTS_MS) / 1_000);
  // It is asked again once it is back.
  expect(dying.requests.length).toBeGreaterThan(0);
});
