/** `soai model files|download|downloads|cancel-download|erase-file`. */
import { FakeApi, json, refuse } from './fake-api';
import { run, start } from './run';
import * as sample from './samples';

const { download, modelFile } = sample;
const done = { ...download, state: 'completed', received_bytes: 4 * 1024 * 1024 };
const removal = {
  removed: 'm.gguf',
  dry_run: false,
  disabled_models: ['m1'],
  still_named_by: [],
  virtual_models: ['team'],
};

let api: FakeApi;
let env: Record<string, string>;
let looks: object[];

beforeAll(async () => {
  api = await FakeApi.start({
    'GET /api/v1/plugins/local/files': sample.page(modelFile),
    'POST /api/v1/plugins/local/files/download': json(202, download),
    'DELETE /api/v1/plugins/local/files/m.gguf': removal,
    'GET /api/v1/downloads': sample.page(download),
    'GET /api/v1/downloads/download_1': (response) => json(200, looks.shift() ?? done)(response),
    'POST /api/v1/downloads/download_1/cancel': { ...download, state: 'cancelled' },
    'DELETE /api/v1/plugins/local/files/none.gguf': refuse(404, 'file_not_found', 'There is no such model file.'),
  });
  env = { SOAI_URL: api.url, SOAI_API_KEY: 'sk-test' };
});
afterAll(() => api.stop());
beforeEach(() => {
  api.asked.length = 0;
  looks = [];
});

const soai = (...argv: string[]) => run(argv, { env });

test('J: files and downloads are lists', async () => {
  expect((await soai('model', 'files', 'local')).stdout).toMatch(
    /^FILE +SIZE +ARCHITECTURE .*\nm\.gguf +98\.0 MiB +llama +Q4_1 +8192 +m1/,
  );
  expect((await soai('model', 'downloads')).stdout).toMatch(/download_1 +m\.gguf +running +1\.0 MiB of 4\.0 MiB, 25 %/);
  expect(JSON.parse((await soai('model', 'files', 'local', '-o', 'json')).stdout)).toEqual(sample.page(modelFile));
});

test('J: download starts and follows to the end, with the talk on stderr', async () => {
  looks = [{ ...download, received_bytes: 2 * 1024 * 1024 }];
  const url = 'https://models.example/m.gguf';
  const { code, stdout, stderr } = await soai('model', 'download', 'local', url, '--file', 'm.gguf', '--sha256', 'ab');
  expect([code, api.asked[0]!.body]).toEqual([0, { url, file: 'm.gguf', sha256: 'ab' }]);
  expect(stderr).toMatch(/25 %\n.*50 %/);
  expect(stdout).toMatch(/State +completed/);
});

test('J: a download that fails ends with 1 and says why', async () => {
  looks = [{ ...download, state: 'failed', reason: 'digest_mismatch', message: 'its SHA-256 is another' }];
  const { code, stdout } = await soai('model', 'download', 'local', 'https://models.example/m.gguf');
  expect(code).toBe(1);
  expect(stdout).toContain('its SHA-256 is another');
});

test('J: --detach only starts it; without a URL it is the plugin’s own model', async () => {
  expect(JSON.parse((await soai('model', 'download', 'local', '--detach', '-o', 'json')).stdout)).toEqual(download);
  expect(api.asked).toMatchObject([{ method: 'POST', body: {} }]);
});

test('J: Ctrl-C leaves the download to the server and says how to end it', async () => {
  looks = Array.from({ length: 100 }, () => download);
  const session = start(['model', 'download', 'local', 'https://models.example/m.gguf'], { env, input: null });
  await session.shown('25 %');
  session.interrupt();
  const { code, stderr } = await session.outcome;
  expect(code).toBe(130);
  expect(stderr).toContain('soai model cancel-download download_1');
  expect((await soai('model', 'cancel-download', 'download_1')).stdout).toMatch(/State +cancelled/);
});

test('J: erase-file asks on a terminal, naming what is served from it', async () => {
  const no = start(['model', 'erase-file', 'local', 'm.gguf'], { env, tty: true, input: null });
  await no.shown('Disabled models: m1. Members of: team.');
  no.stdin.write('n\n');
  expect(await no.outcome).toMatchObject({ code: 4, stdout: '' });
  expect(api.asked.map(({ url }) => url)).toEqual(['/api/v1/plugins/local/files/m.gguf?dry_run=true']);
  const { stdout } = await soai('model', 'erase-file', 'local', 'm.gguf', '--force', '--yes');
  expect(stdout).toMatch(/Deleted +m\.gguf/);
  expect(api.asked.at(-1)!.url).toBe('/api/v1/plugins/local/files/m.gguf?force=true');
  expect((await soai('model', 'erase-file', 'local', 'none.gguf')).code).toBe(5);
});
