import { freeMemory, type ReadText } from './free-memory';

const HOST = { '/proc/meminfo': 'MemTotal: 9 kB\nMemAvailable:   1000 kB\nBuffers: 1 kB\n' };
const of =
  (files: Record<string, string>): ReadText =>
  (file) =>
    files[file] ?? null;

test('F: without a limit it is what the host has available', () => {
  expect(freeMemory(of(HOST))).toBe(1_024_000);
  const unlimited = { '/proc/self/cgroup': '0::/a\n', '/sys/fs/cgroup/a/memory.max': 'max\n' };
  expect(freeMemory(of({ ...HOST, ...unlimited }))).toBe(1_024_000);
});

test('F: the tightest control group on the way up counts, and its cached files as free', () => {
  const groups = {
    '/proc/self/cgroup': '0::/soai.slice/soai.service\n',
    '/sys/fs/cgroup/soai.slice/soai.service/memory.max': '900000\n',
    '/sys/fs/cgroup/soai.slice/soai.service/memory.current': '100000\n',
    '/sys/fs/cgroup/soai.slice/memory.max': '500000\n',
    '/sys/fs/cgroup/soai.slice/memory.current': '400000\n',
    '/sys/fs/cgroup/soai.slice/memory.stat': 'anon 5\ninactive_file 30000\nactive_file 20000\n',
  };
  expect(freeMemory(of({ ...HOST, ...groups }))).toBe(150_000);
});

test('F: a container sees its own group as the root', () => {
  const container = {
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/memory.max': '1000\n',
    '/sys/fs/cgroup/memory.current': '2000\n',
  };
  expect(freeMemory(of({ ...HOST, ...container }))).toBe(0);
});

test('elsewhere nothing is known', () => expect(freeMemory(of({}))).toBeNull());
test('this host tells', () => {
  if (process.platform === 'linux') expect(freeMemory()).toBeGreaterThan(0);
});
