import { join } from 'node:path';
import pino from 'pino';
import { DownloadRefused, type ModelDownload, type ModelFiles } from '../plugins/adapter';
import type { DownloadRow } from '../store/records';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import { temporaryDirectories } from '../test/store/temporary-directory';
import { Downloads } from './downloads';

const newDirectory = temporaryDirectories();
const URL_WITH_TOKEN = 'https://user:secret@models.example/dir/m.gguf?token=canary';
const REQUEST = { pluginId: 'local', fileName: 'm.gguf', url: URL_WITH_TOKEN, sha256: null };

type Script = (download: ModelDownload) => Promise<void>;

/** A models directory whose downloads go as the scripts say, one a try; the last one for all that follow. */
class FakeFiles implements ModelFiles {
  readonly directory = '/models';
  readonly ownModel = null;
  readonly present: string[] = [];
  readonly discarded: string[] = [];
  tries = 0;

  constructor(private readonly scripts: readonly Script[]) {}

  isName(): boolean {
    return true;
  }
  list(): ReturnType<ModelFiles['list']> {
    return Promise.resolve(
      this.present.map((name) => ({ name })) as unknown as Awaited<ReturnType<ModelFiles['list']>>,
    );
  }
  download(download: ModelDownload): Promise<void> {
    const script = this.scripts[Math.min(this.tries, this.scripts.length - 1)]!;
    this.tries += 1;
    return script(download);
  }
  discard(name: string): Promise<void> {
    this.discarded.push(name);
    return Promise.resolve();
  }
  remove(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

const whole: Script = async ({ progress }) => {
  progress(0, 100);
  progress(100, 100);
};
const cutAfter =
  (received: number): Script =>
  async ({ progress }) => {
    progress(received, 100);
    throw new Error('the connection ended');
  };
const hangs: Script = ({ signal, progress }) => {
  progress(40, 100);
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
};

describe('downloads', () => {
  let store: Store;
  let waits: number[];
  let now: number;
  const open: Downloads[] = [];

  beforeEach(async () => {
    store = await openStore({ database: { TYPE: 'sqlite' }, dataDir: join(newDirectory(), 'data') });
    waits = [];
    now = 1_000;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((downloads) => downloads.stop()));
    await store.close();
  });

  const downloadsOf = (files: ModelFiles | undefined, host = 'here'): Downloads => {
    const downloads = new Downloads({
      store: store.downloads,
      filesOf: () => files,
      host,
      log: pino({ level: 'silent' }),
      now: () => (now += 1_000),
      pause: (ms) => {
        waits.push(ms);
        return Promise.resolve();
      },
    });
    open.push(downloads);
    return downloads;
  };

  const ended = (downloads: Downloads): Promise<DownloadRow> =>
    new Promise((resolve) => downloads.onChange((row) => row.state !== 'running' && resolve(row)));

  const started = async (downloads: Downloads, files: ModelFiles): Promise<DownloadRow> => {
    const outcome = await downloads.start(REQUEST, files);
    if (outcome.kind !== 'started') throw new Error(outcome.kind);
    return outcome.row;
  };

  test('J: one runs in the background to its end, telling its progress', async () => {
    const files = new FakeFiles([whole]);
    const downloads = downloadsOf(files);
    const seen: number[] = [];
    downloads.onChange(({ receivedBytes }) => seen.push(receivedBytes));
    const end = ended(downloads);
    const { id } = await started(downloads, files);
    expect(await end).toMatchObject({ id, state: 'completed', receivedBytes: 100, reason: null });
    expect(seen.at(-1)).toBe(100);
    expect(await downloads.list(10)).toMatchObject([{ id, state: 'completed', totalBytes: 100 }]);
  });

  test('S: a link’s token is not kept once the download has ended', async () => {
    const files = new FakeFiles([whole]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    const { id } = await started(downloads, files);
    await end;
    expect((await store.downloads.get(id))!.url).toBe('https://models.example/dir/m.gguf');
  });

  test('J: a broken connection is tried again, with patience for as long as something arrives', async () => {
    const steps = Array.from({ length: 12 }, (_, index) => cutAfter(index + 1));
    const files = new FakeFiles([...steps, whole]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    await started(downloads, files);
    expect(await end).toMatchObject({ state: 'completed' });
    expect(files.tries).toBe(13);
    expect(Math.max(...waits)).toBe(1_000);
  });

  test('J: it ends after six tries in a row that brought nothing, waiting longer each time', async () => {
    const files = new FakeFiles([cutAfter(0)]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    await started(downloads, files);
    expect(await end).toMatchObject({ state: 'failed', reason: 'connection_lost', sentence: 'the connection ended' });
    expect(files.tries).toBe(6);
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(files.discarded).toEqual([]);
  });

  test('J: what no repetition mends ends at once', async () => {
    const files = new FakeFiles([() => Promise.reject(new DownloadRefused('other digest', 'digest_mismatch'))]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    await started(downloads, files);
    expect(await end).toMatchObject({ state: 'failed', reason: 'digest_mismatch', sentence: 'other digest' });
    expect(files.tries).toBe(1);
  });

  test('J: one that is cancelled stops and drops what it has', async () => {
    const files = new FakeFiles([hangs]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    const { id } = await started(downloads, files);
    expect(await downloads.cancel(id)).toMatchObject({ state: 'cancelled', reason: 'cancelled_by_user' });
    await end;
    expect(files.discarded).toEqual(['m.gguf']);
    expect(await downloads.cancel(id)).toMatchObject({ state: 'cancelled' });
    expect(await downloads.cancel('none')).toBeNull();
  });

  test('J: a restart goes on with what was running', async () => {
    const before = downloadsOf(new FakeFiles([hangs]));
    const { id } = await started(before, new FakeFiles([hangs]));
    await before.stop();
    expect(await store.downloads.get(id)).toMatchObject({ state: 'running', url: URL_WITH_TOKEN });
    const files = new FakeFiles([whole]);
    const elsewhere = downloadsOf(files, 'another-host');
    await elsewhere.resume();
    expect(files.tries).toBe(0);
    const after = downloadsOf(files);
    const end = ended(after);
    await after.resume();
    expect(await end).toMatchObject({ id, state: 'completed' });
    expect(files.discarded).toEqual([]);
  });

  test('J: a restart ends what has no plugin any more', async () => {
    const before = downloadsOf(new FakeFiles([hangs]));
    const { id } = await started(before, new FakeFiles([hangs]));
    await before.stop();
    await downloadsOf(undefined).resume();
    expect(await store.downloads.get(id)).toMatchObject({ state: 'failed', reason: 'plugin_missing' });
  });

  test('a file that is there or on its way is not fetched a second time', async () => {
    const files = new FakeFiles([hangs]);
    const downloads = downloadsOf(files);
    files.present.push('M.gguf');
    expect((await downloads.start(REQUEST, files)).kind).toBe('file_exists');
    files.present.length = 0;
    const outcomes = await Promise.all([1, 2, 3].map(() => downloads.start(REQUEST, files)));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['running', 'running', 'started']);
    expect(await store.downloads.list(10)).toHaveLength(1);
  });

  test('J: cancelled at another process, it stops here at its next sign of life', async () => {
    let sign = (): void => undefined;
    const files = new FakeFiles([
      (download) => {
        sign = () => download.progress(50, 100);
        return hangs(download);
      },
    ]);
    const downloads = downloadsOf(files);
    const end = ended(downloads);
    const { id } = await started(downloads, files);
    expect(await downloadsOf(files).cancel(id)).toMatchObject({ state: 'cancelled' });
    now += 10_000;
    sign();
    expect(await end).toMatchObject({ state: 'cancelled' });
    expect(files.discarded).toEqual(['m.gguf']);
  });
});
