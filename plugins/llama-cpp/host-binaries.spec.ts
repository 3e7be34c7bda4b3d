import { hostBinaries, type Host } from './host-binaries';

test.each<[Host['platform'], Host['arch'], boolean, string[]]>([
  ['linux', 'x64', false, ['@node-llama-cpp/linux-x64']],
  [
    'linux',
    'x64',
    true,
    ['@node-llama-cpp/linux-x64', '@node-llama-cpp/linux-x64-cuda', '@node-llama-cpp/linux-x64-cuda-ext'],
  ],
  ['linux', 'arm64', true, ['@node-llama-cpp/linux-arm64']],
  ['darwin', 'arm64', false, ['@node-llama-cpp/mac-arm64-metal']],
  ['freebsd', 'x64', false, []],
])('the binaries for %s-%s (NVIDIA: %s)', (platform, arch, nvidia, expected) => {
  expect(hostBinaries({ platform, arch, nvidia })).toEqual(expected);
});

test('every binary is in the lock file, so that its content is pinned', () => {
  const lock = jest.requireActual<{ packages: Record<string, { integrity?: string }> }>('./runtime/package-lock.json');
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    for (const arch of ['x64', 'arm64'] as const) {
      for (const name of hostBinaries({ platform, arch, nvidia: true })) {
        expect(lock.packages[`node_modules/${name}`]?.integrity).toMatch(/^sha512-/);
      }
    }
  }
});
