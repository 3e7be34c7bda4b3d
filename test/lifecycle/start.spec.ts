/** C3, C4: the real server over a crash and a clean stop. */
import { existsSync } from 'node:fs';
import { isMarked, readMarker } from '../../activities/lifecycle/dirty-marker';
import { databaseFile, openStore } from '../../store/open-store';
import { startSoai } from '../harness/soai';

jest.setTimeout(240_000);

test('C3, C4: a crash is found at the next start, checked and told; a clean stop leaves nothing to check', async () => {
  const soai = await startSoai({ settings: {} });
  const { dataDir } = soai;
  try {
    expect(await readMarker(dataDir)).toMatchObject({ pid: soai.pid, expects: 'database_and_log' });
    await soai.kill('SIGKILL');
    await soai.restart();
    const messages = soai.logs().map((line) => line.msg);
    expect(messages).toContain('the database is sound');
    expect(messages).toContain('how the previous run ended, as far as systemd knows');
    expect(await soai.stop()).toEqual({ code: 0, signal: null });
    expect(isMarked(dataDir)).toBe(false);
    expect(existsSync(`${databaseFile(dataDir)}-wal`)).toBe(false);

    const store = await openStore({ database: { TYPE: 'sqlite' }, dataDir });
    const events = await store.lifecycle.list(10);
    await store.close();
    expect(events.map(({ kind }) => kind).reverse()).toEqual(['started', 'started', 'previous_shutdown', 'stopped']);
    expect(events[2]?.detail).toMatchObject({ unclean: true });
    expect(events[1]?.detail).toMatchObject({ cause: 'unknown' });
  } finally {
    await soai.dispose();
  }
});
