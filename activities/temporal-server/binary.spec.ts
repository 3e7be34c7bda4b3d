import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cachedBinaryPath, findTemporalBinary, PINNED_SERVER } from './binary';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'soai-binary-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function executable(path: string, server: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho "temporal version 1.0.0 (Server ${server}, UI 2.0.0)"\n`);
  await chmod(path, 0o755);
  return path;
}

const search = () => ({
  cacheDir: join(dir, 'cache'),
  env: { PATH: join(dir, 'path'), GOPATH: join(dir, 'go') },
});

test('order: remembered, PATH, cache, Go', async () => {
  const go = await executable(join(dir, 'go/bin/temporal'), PINNED_SERVER);
  expect(await findTemporalBinary(search())).toEqual({ path: go, server: PINNED_SERVER });
  const cached = await executable(cachedBinaryPath(join(dir, 'cache')), PINNED_SERVER);
  expect(await findTemporalBinary(search())).toEqual({ path: cached, server: PINNED_SERVER });
  const onPath = await executable(join(dir, 'path/temporal'), '1.31.0');
  expect(await findTemporalBinary(search())).toEqual({ path: onPath, server: '1.31.0' });
  const remembered = { path: go, server: PINNED_SERVER };
  expect(await findTemporalBinary({ ...search(), remembered })).toEqual(remembered);
});

test('an older server on PATH and an unpinned one in the Go directory are passed over', async () => {
  await executable(join(dir, 'path/temporal'), '1.9.4');
  await executable(join(dir, 'go/bin/temporal'), '1.30.0');
  expect(await findTemporalBinary(search())).toBeNull();
});

test('a remembered executable that was replaced by another version is not used as the remembered one', async () => {
  const path = await executable(join(dir, 'path/temporal'), '1.30.2');
  expect(await findTemporalBinary({ ...search(), remembered: { path, server: '1.29.1' } })).toEqual({
    path,
    server: '1.30.2',
  });
});

test('TEMPORAL.BINARY is the one and no other', async () => {
  const remembered = { path: await executable(join(dir, 'go/bin/temporal'), PINNED_SERVER), server: PINNED_SERVER };
  const chosen = await executable(join(dir, 'mine'), '1.30.0');
  expect(await findTemporalBinary({ ...search(), remembered, chosen })).toEqual({ path: chosen, server: '1.30.0' });
  expect(await findTemporalBinary({ ...search(), remembered, chosen: join(dir, 'none') })).toBeNull();
});
