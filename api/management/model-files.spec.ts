/** Model files and downloads over HTTP. */
import { createServer, type Server } from 'node:http';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type ApiUnderTest, bearer, startApi } from '../../test/api/api-under-test';
import { anAdapter, modelRow } from '../../test/api/model-world';
import { strictly } from '../../test/api/strictly';
import { temporaryDirectories } from '../../test/store/temporary-directory';
import { CHAT_MODEL, ggufHeader } from '../../test/plugins/gguf-samples';
import { ModelsDirectory } from '../../plugins/llama-cpp/models-directory';
import { LocalModelFiles } from '../../plugins/llama-cpp/local-model-files';
import * as contract from '../contract/model-files';
import { listOf } from './lists';

const MODEL = Buffer.concat([ggufHeader(CHAT_MODEL), Buffer.alloc(1_000)]);
const newDirectory = temporaryDirectories();

let api: ApiUnderTest;
let admin: Record<string, string>;
let directory: string;
let server: Server;
let url: string;

beforeEach(async () => {
  api = await startApi();
  admin = bearer(api.adminKey);
  directory = path.join(newDirectory(), 'models');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'here.gguf'), MODEL);
  const files = new LocalModelFiles(new ModelsDirectory(directory, 4_096), directory, () => undefined);
  api.models.addPlugin('local', { adapter: { ...anAdapter([]), files } });
  server = createServer((request, response) => {
    if (request.url?.startsWith('/hang')) response.writeHead(200, { 'content-length': 99 }).write('x');
    else response.end(request.url?.startsWith('/page') ? '<html>sign in to download this model</html>' : MODEL);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await api.models.downloads.stop();
  await api.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (method: string, target: string, body?: unknown) => api.send(method, `/api/v1${target}`, body, admin);
const ended = (): Promise<void> =>
  new Promise((resolve) => api.models.downloads.onChange(({ state }) => state !== 'running' && resolve()));

test('J: files are listed with what they say and what is served from them', async () => {
  await api.store.catalogue.addModel({ ...modelRow('m1'), pluginId: 'local', upstreamModel: 'here.gguf' });
  await api.models.catalogue.refresh();
  const { data } = strictly(listOf(contract.modelFile), (await ask('GET', '/plugins/local/files')).json());
  expect(data).toMatchObject([
    { name: 'here.gguf', architecture: 'llama', quantisation: 'Q4_K_M', context_tokens: 8_192, models: ['m1'] },
  ]);
});

test('J: a download runs as a job that can be looked at, and its file appears', async () => {
  const end = ended();
  const started = await ask('POST', '/plugins/local/files/download', { url: `${url}/dir/new.gguf?token=canary` });
  expect(started.status).toBe(202);
  const { id } = strictly(contract.download, started.json());
  expect(started.text).not.toContain('canary');
  await end;
  const done = strictly(contract.download, (await ask('GET', `/downloads/${id}`)).json());
  expect(done).toMatchObject({ state: 'completed', file: 'new.gguf', received_bytes: MODEL.length });
  expect(strictly(listOf(contract.download), (await ask('GET', '/downloads')).json()).data).toEqual([done]);
  expect(existsSync(path.join(directory, 'new.gguf'))).toBe(true);
  const again = await ask('POST', '/plugins/local/files/download', { url: `${url}/new.gguf` });
  expect([again.status, again.json().error.code]).toEqual([409, 'file_exists']);
});

test('J: what is no model fails with its reason', async () => {
  const end = ended();
  const { id } = (await ask('POST', '/plugins/local/files/download', { url: `${url}/page`, file: 'p.gguf' })).json();
  await end;
  expect((await ask('GET', `/downloads/${id}`)).json()).toMatchObject({ state: 'failed', reason: 'not_a_model' });
});

test('J: one that runs can be cancelled', async () => {
  const { id } = (await ask('POST', '/plugins/local/files/download', { url: `${url}/hang/h.gguf` })).json();
  expect((await ask('POST', `/downloads/${id}/cancel`)).json()).toMatchObject({ state: 'cancelled' });
  expect((await ask('POST', '/downloads/none/cancel')).json().error.code).toBe('download_not_found');
});

test.each([
  [{ url: 'ftp://x/m.gguf' }, 'url'],
  [{ url: 'nonsense' }, 'url'],
  [{ url: 'http://127.0.0.1/model.bin' }, 'url'],
  [{ url: 'http://127.0.0.1/a%2F..%2Fm.gguf' }, 'url'],
  [{ url: 'http://127.0.0.1/m.gguf', file: '../m.gguf' }, 'file'],
  [{ url: 'http://127.0.0.1/m.gguf', file: '/etc/m.gguf' }, 'file'],
  [{ url: 'http://127.0.0.1/m.gguf', sha256: 'abc' }, 'sha256'],
])('S6: %j is refused', async (body, param) => {
  const answer = await ask('POST', '/plugins/local/files/download', body);
  expect([answer.status, answer.json().error.param]).toEqual([400, param]);
});

test('S1: a metadata address is refused by the job', async () => {
  const end = ended();
  const body = { url: 'http://169.254.169.254/m.gguf' };
  const { id } = (await ask('POST', '/plugins/local/files/download', body)).json();
  await end;
  expect((await ask('GET', `/downloads/${id}`)).json()).toMatchObject({
    state: 'failed',
    reason: 'refused',
    message: expect.stringContaining('link-local or metadata address'),
  });
});

describe('deleting a file', () => {
  test('names what depends on it first, and with force disables that', async () => {
    await api.models.addModels('m2');
    await api.store.catalogue.addModel({ ...modelRow('m1'), pluginId: 'local', upstreamModel: 'here.gguf' });
    await api.models.catalogue.refresh();
    await ask('POST', '/virtual-models', { name: 'team', strategy: 'failover', members: ['m1', 'm2'] });
    const refused = await ask('DELETE', '/plugins/local/files/here.gguf');
    expect([refused.status, refused.json().error.code]).toEqual([409, 'file_in_use']);
    expect(refused.json().error.message).toMatch(/serves 'm1'.*members of 'team'/);
    const expected = { removed: 'here.gguf', disabled_models: ['m1'], still_named_by: [], virtual_models: ['team'] };
    const preview = (await ask('DELETE', '/plugins/local/files/here.gguf?dry_run=true')).json();
    expect(strictly(contract.fileRemoval, preview)).toEqual({ ...expected, dry_run: true });
    expect(existsSync(path.join(directory, 'here.gguf'))).toBe(true);
    const done = (await ask('DELETE', '/plugins/local/files/here.gguf?force=true')).json();
    expect(done).toEqual({ ...expected, dry_run: false });
    expect(existsSync(path.join(directory, 'here.gguf'))).toBe(false);
    expect((await ask('GET', '/models/m1')).json().enabled).toBe(false);
  });

  test.each(['none.gguf', '..%2F..%2Fhere.gguf', 'here.gguf.part'])('S6: %s is not there', async (name) => {
    const answer = await ask('DELETE', `/plugins/local/files/${name}`);
    expect([answer.status, answer.json().error.code]).toEqual([404, 'file_not_found']);
  });
});

test('a plugin without files says so', async () => {
  const answer = await ask('GET', '/plugins/p1/files');
  expect([answer.status, answer.json().error.code]).toEqual([409, 'plugin_has_no_files']);
});

test('S49: files and downloads are for administrators', async () => {
  const user = bearer(api.userKey);
  for (const [method, target] of [
    ['GET', '/plugins/local/files'],
    ['POST', '/plugins/local/files/download'],
    ['DELETE', '/plugins/local/files/here.gguf'],
    ['GET', '/downloads'],
    ['GET', '/downloads/x'],
    ['POST', '/downloads/x/cancel'],
  ] as const) {
    expect((await api.send(method, `/api/v1${target}`, undefined, user)).status).toBe(403);
  }
});
