/** Clients against a real small model, SmolLM2, where its runtime and file are in the cache already. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import { hostBinaries, thisHost } from '../../plugins/llama-cpp/host-binaries';
import { DEFAULT_MODEL_FILE } from '../../plugins/llama-cpp/model-from-wheel';
import { obtainModel } from '../../plugins/llama-cpp/obtain-model';
import { isInstalled, runtimeDirectory } from '../../plugins/llama-cpp/runtime-location';
import { get, pluginOf, untilTask, withSoai } from '../harness';
import { clientOf, thrownBy } from './fixture';

const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'soai');
const isThere =
  isInstalled(runtimeDirectory(cacheDir), hostBinaries(thisHost())) &&
  existsSync(join(cacheDir, 'models', DEFAULT_MODEL_FILE));
if (!isThere) {
  process.stderr.write(
    'SKIPPED: clients against SmolLM2 (test/clients/local-model.spec.ts): its runtime or its file is not in the ' +
      'cache; test/plugins/llama-cpp.spec.ts puts them there\n',
  );
}

/** Loading the model, and 30 tokens on a busy machine. */
const WITHIN_MS = 180_000;

(isThere ? describe : describe.skip)('SmolLM2', () => {
  const modelsDir = mkdtempSync(join(tmpdir(), 'soai-models-'));
  const fixture = withSoai(() => ({
    PLUGINS: [
      {
        ID: 'local',
        PACKAGE: 'llama-cpp',
        SETTINGS: { MODELS_DIR: modelsDir },
        MAX_CONCURRENT_TASKS: 2,
        PRELOAD: true,
      },
    ],
    MODELS: {
      CATALOG: [{ ID: 'smol', PLUGIN: 'local', UPSTREAM_MODEL: DEFAULT_MODEL_FILE, CAPABILITIES: ['chat'] }],
      ROUTING: { TIMEOUTS: { FIRST_BYTE_SEC: 150 } },
    },
  }));

  beforeAll(async () => {
    jest.setTimeout(WITHIN_MS);
    const placed = await obtainModel({ cacheDir, modelsDir, log: () => undefined });
    if (placed.name === null) throw new Error(placed.reason);
  });
  afterAll(() => rmSync(modelsDir, { recursive: true, force: true }));

  const messages = [{ role: 'user' as const, content: 'What is the capital of France? Answer in one short sentence.' }];
  const upTo = (max_tokens: number) => ({ model: 'smol', messages, temperature: 0, seed: 1, max_tokens });
  const exact = upTo(24);

  test(
    'F, J: its file is listed, and with PRELOAD the model is in memory before any request',
    async () => {
      const { soai } = fixture;
      const { data } = await get<{ data: unknown[] }>(soai, '/api/v1/plugins/local/files');
      expect(data).toEqual([expect.objectContaining({ name: DEFAULT_MODEL_FILE })]);
      await soai.restart();
      await untilLoaded();
    },
    WITHIN_MS,
  );

  async function untilLoaded(): Promise<void> {
    while ((await pluginOf(fixture.soai, 'local')).loaded_model !== DEFAULT_MODEL_FILE) await delay(100);
  }

  test(
    'I: plain and streamed give the same words, with usage',
    async () => {
      const { chat } = clientOf(fixture);
      const plain = await chat.completions.create(exact);
      const text = plain.choices[0]?.message.content ?? '';
      expect(text).toMatch(/\w/);
      expect(plain).toMatchObject({ object: 'chat.completion', model: 'smol' });
      const streamed = await chat.completions
        .stream({ ...exact, stream_options: { include_usage: true } })
        .finalChatCompletion();
      expect(streamed.choices[0]?.message.content).toBe(text);
      expect(streamed.usage).toMatchObject({
        prompt_tokens: plain.usage?.prompt_tokens,
        completion_tokens: plain.usage?.completion_tokens,
      });
    },
    WITHIN_MS,
  );

  test(
    'T81: max_tokens ends it with length',
    async () => {
      const reply = await clientOf(fixture).chat.completions.create(upTo(3));
      expect(reply.choices[0]?.finish_reason).toBe('length');
      expect(reply.usage?.completion_tokens).toBeLessThanOrEqual(3);
    },
    WITHIN_MS,
  );

  test(
    'contract 5: the Responses API over it',
    async () => {
      const { status, output_text, usage } = await clientOf(fixture).responses.create({
        model: 'smol',
        input: 'Say hello.',
        temperature: 0,
        max_output_tokens: 16,
      });
      expect(['completed', 'incomplete']).toContain(status);
      expect(output_text).toMatch(/\w/);
      expect(usage?.output_tokens).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );

  test(
    'I: streamText of the AI SDK',
    async () => {
      const openai = createOpenAI({ apiKey: fixture.soai.key, baseURL: `${fixture.soai.url}/v1` });
      const result = streamText({ model: openai.chat('smol'), prompt: 'Say hello.', maxOutputTokens: 16, seed: 1 });
      expect(await result.text).toMatch(/\w/);
      expect(['stop', 'length']).toContain(await result.finishReason);
    },
    WITHIN_MS,
  );

  test(
    'A10: a client that leaves ends the work',
    async () => {
      const leave = new AbortController();
      const open = await clientOf(fixture).chat.completions.create(
        { ...upTo(2_000), messages: [{ role: 'user', content: 'Count from 1 to 500.' }], stream: true },
        { signal: leave.signal },
      );
      const reading = (async () => {
        for await (const { choices } of open) if (choices[0]?.delta.content) leave.abort();
      })();
      await reading.catch(() => undefined);
      const task = await untilTask(fixture.soai, 'smol', ({ state }) => state === 'cancelled');
      expect(task.reason).toBe('client_disconnected');
      expect(await thrownBy(clientOf(fixture).chat.completions.create({ ...exact, model: 'big' }))).toMatchObject({
        status: 404,
      });
    },
    WITHIN_MS,
  );
});
