import { UpstreamFailure } from '../adapter';
import { Lifecycle, type Backend } from './lifecycle';

interface FakeBackend extends Backend {
  end(how: string): void;
}

function fake(): {
  life: Lifecycle<FakeBackend>;
  started: FakeBackend[];
  gate: { open(): void; fail(error: unknown): void }[];
} {
  const started: FakeBackend[] = [];
  const gate: { open(): void; fail(error: unknown): void }[] = [];
  const life = new Lifecycle<FakeBackend>((abandoned) => {
    let end!: (how: string) => void;
    const exited = new Promise<string>((resolve) => (end = resolve));
    const backend = { exited, end, stop: async () => end('stopped') };
    started.push(backend);
    return new Promise((resolve, reject) => {
      gate.push({ open: () => resolve(backend), fail: reject });
      abandoned.addEventListener('abort', () => reject(new UpstreamFailure('aborted', 'abandoned')));
    });
  });
  return { life, started, gate };
}

const settled = (): Promise<void> => new Promise(setImmediate);

test('many starts are one; running ones are joined', async () => {
  const { life, started, gate } = fake();
  const starts = [life.start(), life.start()];
  expect(life.backend.state).toBe('starting');
  gate[0]?.open();
  expect(await Promise.all([...starts, life.start()])).toEqual([started[0], started[0], started[0]]);
  expect(life.backend.state).toBe('running');
});

test('a failed start shows why; the next one tries anew', async () => {
  const { life, started, gate } = fake();
  const first = life.start();
  gate[0]?.fail(new Error('ENOENT'));
  await expect(first).rejects.toMatchObject({ kind: 'configuration' });
  expect(life.backend).toEqual({ state: 'error', detail: expect.stringContaining('ENOENT') });
  const second = life.start();
  gate[1]?.open();
  await second;
  expect(started).toHaveLength(2);
});

test('an exit nobody asked for is an error; a stop is none', async () => {
  const { life, started, gate } = fake();
  const start = life.start();
  gate[0]?.open();
  await start;
  started[0]?.end('exited with code 7');
  await settled();
  expect(life.backend).toEqual({ state: 'error', detail: 'The backend exited with code 7' });
  expect(life.running).toBeNull();
  await life.stop();
  expect(life.backend.state).toBe('stopped');
});

test('G9: a stop abandons a start; a start during a stop waits for it', async () => {
  const { life, started, gate } = fake();
  const start = life.start();
  const stop = life.stop();
  expect(life.backend.state).toBe('stopping');
  const again = life.start();
  await expect(start).rejects.toMatchObject({ kind: 'aborted' });
  await stop;
  await settled();
  gate[1]?.open();
  await again;
  expect(life.backend.state).toBe('running');
  expect(life.running).toBe(started.at(-1));
});

test('T69: who leaves while it starts does not take the start along', async () => {
  const { life, gate } = fake();
  const leaving = new AbortController();
  const left = life.startFor(leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ kind: 'aborted' });
  gate[0]?.open();
  await life.start();
  expect(life.backend.state).toBe('running');
});
