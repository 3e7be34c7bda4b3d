import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LogFiles } from './log-files';

const directory = mkdtempSync(path.join(tmpdir(), 'soai-logs-'));
afterAll(() => rmSync(directory, { recursive: true }));

let serial = 0;
const store = (bounds?: { fileBytes: number; olderFiles: number }): { logs: LogFiles; at: string } => {
  const at = path.join(directory, `${(serial += 1)}`);
  return { logs: new LogFiles(at, bounds), at };
};
const line = (fields: Record<string, unknown>): string => JSON.stringify({ level: 'info', ...fields });
const messages = async (logs: LogFiles, source: string, query = {}, limit = 100): Promise<string[]> =>
  (await logs.read(source, query, limit)).map(({ message }) => message);

test('H: lines are kept by source, newest first, and found by level and text', async () => {
  const { logs } = store();
  logs.write(line({ msg: 'one', task: 'T-9' }));
  logs.write(line({ msg: 'two', level: 'error' }));
  logs.write(line({ msg: 'of a', source: 'plugin', plugin: 'a/b', stream: 'stdout' }));
  logs.write('no json');
  expect(await messages(logs, 'core')).toEqual(['two', 'one']);
  expect(await messages(logs, 'core', { level: 'warn' })).toEqual(['two']);
  expect(await messages(logs, 'core', { text: 't-9' })).toEqual(['one']);
  expect(await logs.read('plugin:a/b', {}, 1)).toMatchObject([{ source: 'plugin:a/b', fields: { stream: 'stdout' } }]);
  expect(await logs.sources()).toEqual(['core', 'plugin:a/b']);
  expect(await messages(logs, 'plugin:../../x')).toEqual([]);
});

test('H: pages follow each other without a gap or a repetition, over a restart too', async () => {
  const { logs, at } = store();
  for (let n = 0; n < 25; n += 1) logs.write(line({ msg: `${n}` }));
  await logs.flush();
  const again = new LogFiles(at);
  again.write(line({ msg: '25' }));
  const seen: string[] = [];
  for (let before: string | undefined; ;) {
    const page = await again.read('core', { before }, 10);
    if (page.length === 0) break;
    seen.push(...page.map(({ message }) => message));
    before = page.at(-1)?.id;
  }
  expect(seen).toEqual(Array.from({ length: 26 }, (_, n) => `${25 - n}`));
});

test('H: the files of a source are bounded, only for their owner, and the newest lines stay', async () => {
  const { logs, at } = store({ fileBytes: 2_000, olderFiles: 2 });
  for (let n = 0; n < 200; n += 1) {
    logs.write(line({ msg: `line ${n}` }));
    await logs.flush();
  }
  expect(readdirSync(at).sort()).toEqual(['core.jsonl', 'core.jsonl.1', 'core.jsonl.2']);
  for (const name of readdirSync(at)) {
    const { size, mode } = statSync(path.join(at, name));
    expect(size).toBeLessThanOrEqual(2_000);
    expect(mode & 0o777).toBe(0o600);
  }
  const kept = await messages(logs, 'core', {}, 1_000);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => `line ${199 - n}`));
});

test('H: followers get every line, and a store that can not be written holds nothing up', async () => {
  const file = path.join(directory, 'a-file');
  writeFileSync(file, '');
  const logs = new LogFiles(path.join(file, 'logs'));
  const seen: string[] = [];
  const leave = logs.subscribe(({ message }) => seen.push(message));
  logs.write(line({ msg: 'a' }));
  await logs.flush();
  leave();
  logs.write(line({ msg: 'b' }));
  expect(seen).toEqual(['a']);
  expect(await messages(logs, 'core')).toEqual([]);
});
