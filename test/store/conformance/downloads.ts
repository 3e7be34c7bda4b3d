import type { DownloadRow } from '../../../store/records';
import { now } from '../samples';
import { over, type OpenStore } from './subject';

const download = (id: string, fields: Partial<DownloadRow> = {}): DownloadRow => ({
  id,
  pluginId: 'local',
  fileName: `${id}.gguf`,
  place: 'host-1:/models',
  url: 'https://models.example/m.gguf?token=1',
  sha256: null,
  state: 'running',
  receivedBytes: 0,
  totalBytes: null,
  reason: null,
  sentence: null,
  createdAt: now,
  updatedAt: now,
  finishedAt: null,
  ...fields,
});

export function downloads(open: OpenStore): void {
  test(
    'J: downloads are kept with their progress, past 4 GiB too, newest first',
    over(open, async ({ downloads }) => {
      await downloads.add(download('d1'));
      await downloads.add(download('d2', { createdAt: now + 1, url: null }));
      await expect(downloads.progress('d1', 5_000_000_000, 9_000_000_000, now + 2)).resolves.toBe(true);
      await expect(downloads.get('d1')).resolves.toEqual(
        download('d1', { receivedBytes: 5_000_000_000, totalBytes: 9_000_000_000, updatedAt: now + 2 }),
      );
      expect((await downloads.list(1)).map(({ id }) => id)).toEqual(['d2']);
      await expect(downloads.get('none')).resolves.toBeNull();
    }),
  );

  test(
    'J: a download ends once; from then on it has no progress',
    over(open, async ({ downloads }) => {
      await downloads.add(download('d1'));
      await downloads.add(download('d2', { place: 'host-2:/models' }));
      const end = { state: 'failed' as const, url: null, receivedBytes: 7, reason: 'r', sentence: 's', at: now + 5 };
      await expect(downloads.end('d1', end)).resolves.toBe(true);
      await expect(downloads.end('d1', { ...end, state: 'completed' })).resolves.toBe(false);
      await expect(downloads.progress('d1', 9, 9, now + 6)).resolves.toBe(false);
      await expect(downloads.get('d1')).resolves.toMatchObject({ state: 'failed', finishedAt: now + 5, url: null });
      expect((await downloads.running()).map(({ id }) => id)).toEqual(['d2']);
    }),
  );
}
