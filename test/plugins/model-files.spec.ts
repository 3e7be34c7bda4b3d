/** The models directory of llama-cpp: what is in it, and what is downloaded into it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { DownloadRefused, type ModelDownload } from '../../plugins/adapter';
import { LocalModelFiles } from '../../plugins/llama-cpp/local-model-files';
import { ModelsDirectory } from '../../plugins/llama-cpp/models-directory';
import { temporaryDirectory } from './adapter-fixture';
import { CHAT_MODEL, ENCODER, ggufHeader } from './gguf-samples';
import { upstream, type LocalUpstream } from './local-upstream';

const MODEL = Buffer.concat([ggufHeader(CHAT_MODEL), Buffer.alloc(400_000, 'w')]);
const SHA256 = createHash('sha256').update(MODEL).digest('hex');

let directory: string;
let models: ModelsDirectory;
let files: LocalModelFiles;
const servers: LocalUpstream[] = [];

beforeEach(() => {
  directory = path.join(temporaryDirectory(), 'models');
  models = new ModelsDirectory(directory, 4_096);
  files = new LocalModelFiles(models, path.join(temporaryDirectory(), 'cache'), () => undefined);
});
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

/** Serves MODEL by ranges; each of the first answers stops after so many bytes, until `cut()`. */
async function serve(...cuts: number[]): Promise<LocalUpstream & { cut(): void }> {
  let open: ServerResponse | null = null;
  const server = await upstream((request, response) => {
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const from = range !== null && request.headers['if-range'] === '"v1"' ? Number(range[1]) : 0;
    const body = MODEL.subarray(from);
    const cut = cuts.shift();
    response.writeHead(from > 0 ? 206 : 200, { etag: '"v1"', 'content-length': body.length });
    if (cut === undefined) response.end(body);
    else response.write(body.subarray(0, cut));
    open = cut === undefined ? null : response;
  });
  servers.push(server);
  return { ...server, cut: () => open?.destroy() };
}

const download = (url: string, fields: Partial<ModelDownload> = {}): Promise<void> =>
  files.download({
    url,
    name: 'm.gguf',
    sha256: null,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...fields,
  });

describe('the directory', () => {
  test('J: files are found and read: architecture, quantisation, context, template', async () => {
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'talker.gguf'), MODEL);
    writeFileSync(path.join(directory, 'vectors.GGUF'), ggufHeader(ENCODER));
    writeFileSync(path.join(directory, 'page.gguf'), '<html>please sign in to download this model</html>');
    for (const name of ['readme.md', '.hidden.gguf', 'm.gguf.part']) writeFileSync(path.join(directory, name), 'x');
    mkdirSync(path.join(directory, 'folder.gguf'));
    expect(await files.list()).toMatchObject([
      { name: 'page.gguf', fault: 'it is no GGUF file', architecture: null },
      {
        name: 'talker.gguf',
        fault: null,
        architecture: 'llama',
        quantisation: 'Q4_K_M',
        contextTokens: 8_192,
        parameters: 2_080,
        hasChatTemplate: true,
        sizeBytes: MODEL.length,
      },
      { name: 'vectors.GGUF', architecture: 'bert', hasChatTemplate: false },
    ]);
    // The context is what both the model and the settings allow.
    expect(await models.list()).toEqual([
      {
        upstreamModel: 'talker.gguf',
        capabilities: ['chat', 'completions', 'embeddings'],
        modalities: ['text'],
        contextTokens: 4_096,
      },
      { upstreamModel: 'vectors.GGUF', capabilities: ['embeddings'], modalities: ['text'], contextTokens: 512 },
    ]);
  });

  test('a file that changes is read again', async () => {
    mkdirSync(directory);
    writeFileSync(path.join(directory, 'm.gguf'), 'no model, but as long as a header is');
    expect((await files.list())[0]!.fault).not.toBeNull();
    writeFileSync(path.join(directory, 'm.gguf'), MODEL);
    expect((await files.list())[0]).toMatchObject({ fault: null, architecture: 'llama' });
  });

  test.each(['../m.gguf', 'a/m.gguf', '/etc/m.gguf', '..\\m.gguf', '.m.gguf', 'm.txt', 'm.gguf\0', ''])(
    'S6: %j is no name here: nothing is written or removed',
    async (name) => {
      const outside = path.join(directory, '..', 'm.gguf');
      mkdirSync(directory);
      writeFileSync(outside, MODEL);
      const server = await serve();
      expect(files.isName(name)).toBe(false);
      await expect(download(server.url, { name })).rejects.toThrow(DownloadRefused);
      await expect(files.remove(name)).resolves.toBe(false);
      expect(server.requests).toHaveLength(0);
      expect(statSync(outside).size).toBe(MODEL.length);
      expect(readdirSync(directory)).toEqual([]);
    },
  );
});

describe('a download', () => {
  test('J: it appears whole, with its progress told', async () => {
    const server = await serve();
    const seen: [number, number | null][] = [];
    await download(server.url, { sha256: SHA256.toUpperCase(), progress: (...step) => void seen.push(step) });
    expect(readFileSync(path.join(directory, 'm.gguf')).equals(MODEL)).toBe(true);
    expect(readdirSync(directory)).toEqual(['m.gguf']);
    expect(seen[0]).toEqual([0, MODEL.length]);
    expect(seen.at(-1)).toEqual([MODEL.length, MODEL.length]);
  });

  test('J: cut off twice, it goes on where it stopped', async () => {
    const server = await serve(100_000, 50_000);
    let from = 0;
    const progress = (received: number): void => {
      if (received > from) server.cut();
      from = received;
    };
    await expect(download(server.url, { progress })).rejects.toThrow();
    await expect(download(server.url, { progress })).rejects.toThrow();
    expect(existsSync(path.join(directory, 'm.gguf'))).toBe(false);
    await download(server.url, { sha256: SHA256 });
    expect(readFileSync(path.join(directory, 'm.gguf')).equals(MODEL)).toBe(true);
    const starts = server.requests.map(({ request }) => Number(/\d+/.exec(request.headers.range ?? '0')?.[0]));
    expect(starts[0]).toBe(0);
    expect(starts[1]).toBeGreaterThan(0);
    expect(starts[2]).toBeGreaterThan(starts[1]!);
  });

  test('J: another digest than the one given leaves nothing behind', async () => {
    const server = await serve();
    await expect(download(server.url, { sha256: 'a'.repeat(64) })).rejects.toMatchObject({ code: 'digest_mismatch' });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('S7: a page instead of a model leaves nothing behind', async () => {
    const server = await upstream((_request, response) =>
      response.end('<html>please sign in first, then come back</html>'),
    );
    servers.push(server);
    await expect(download(server.url)).rejects.toMatchObject({ code: 'not_a_model' });
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([404, 401])('the answer %d is final', async (status) => {
    const server = await upstream((_request, response) => response.writeHead(status).end());
    servers.push(server);
    await expect(download(server.url)).rejects.toThrow(DownloadRefused);
  });

  test('the answer 503 may pass', async () => {
    const server = await upstream((_request, response) => response.writeHead(503).end());
    servers.push(server);
    const failure = await download(server.url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(DownloadRefused);
  });

  test('it stops when it is told to, keeping what it has', async () => {
    const stop = new AbortController();
    const server = await upstream((_request, response) => {
      response.writeHead(200, { etag: '"v1"', 'content-length': MODEL.length });
      response.write(MODEL.subarray(0, 1_000));
    });
    servers.push(server);
    const progress = (received: number): void => void (received > 0 && stop.abort());
    await expect(download(server.url, { signal: stop.signal, progress })).rejects.toThrow();
    expect(existsSync(path.join(directory, 'm.gguf'))).toBe(false);
    await files.discard('m.gguf');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('S1: where it may not go', () => {
  test.each([
    'http://169.254.169.254/m.gguf',
    'http://[fe80::1]/m.gguf',
    'http://0.0.0.0/m.gguf',
    'file:///etc/passwd',
    'nonsense',
  ])('%s', async (url) => {
    await expect(download(url)).rejects.toThrow(DownloadRefused);
  });

  test('a redirect is judged like the address itself', async () => {
    const server = await upstream((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    );
    servers.push(server);
    await expect(download(server.url)).rejects.toThrow(/link-local or metadata/);
  });

  test('redirects to where it may go are followed, a circle is not', async () => {
    const target = await serve();
    const server = await upstream((request, response) => {
      const location = request.url === '/round' ? '/round' : `${target.url}/m.gguf`;
      response.writeHead(307, { location }).end();
    });
    servers.push(server);
    await download(`${server.url}/there`);
    expect(existsSync(path.join(directory, 'm.gguf'))).toBe(true);
    await expect(download(`${server.url}/round`)).rejects.toThrow(/redirects more than/);
  });
});
