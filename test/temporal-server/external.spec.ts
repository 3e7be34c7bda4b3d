/** Spec C6: a Temporal server that somebody else runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../activities/engine';
import { connectExternal, startEmbeddedTemporal, untilUp } from '../../activities/temporal-server';
import { silentLog as log } from './silent-log';

jest.setTimeout(60_000);

let dir: string;
let theirs: Engine;
let ours: Engine;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'soai-external-'));
  theirs = await startEmbeddedTemporal({ dataDir: dir, namespace: 'theirs', log });
  // A namespace that their server does not have.
  ours = await connectExternal({ address: theirs.address, namespace: 'ours', log });
});

afterEach(async () => {
  await ours.stop();
  await theirs.stop();
  await rm(dir, { recursive: true });
});

test('C6: the namespace is created, an outage is noticed within 5 s, the return too', async () => {
  expect(await untilUp(ours, 20_000)).toBe(true);
  const down = new Promise<void>((resolve) => ours.onChange((state) => state === 'down' && resolve()));
  const { address } = theirs;
  await theirs.stop();
  const stoppedAt = Date.now();
  await down;
  expect(Date.now() - stoppedAt).toBeLessThan(5000);
  theirs = await startEmbeddedTemporal({ dataDir: dir, namespace: 'theirs', log });
  expect(theirs.address).toBe(address);
  expect(await untilUp(ours, 10_000)).toBe(true);
});

test('C6: nothing listens: down, and stop ends the watching', async () => {
  const nowhere = await connectExternal({ address: '127.0.0.1:1', namespace: 'ours', log });
  await new Promise<void>((resolve) => nowhere.onChange((state) => state === 'down' && resolve()));
  await nowhere.stop();
  expect(nowhere.state).toBe('down');
});
