import { existsSync } from 'node:fs';

export interface Host {
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
  /** An NVIDIA driver is loaded. */
  readonly nvidia: boolean;
}

const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'linux-riscv64': 'linux-riscv64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/**
 * Which of node-llama-cpp's binary packages this host needs: all of them are 700 MB, the one for a
 * CPU 29 MB. Empty: there is none, and node-llama-cpp would have to be built from source.
 */
export function hostBinaries(host: Host): string[] {
  const cpu = BINARIES[`${host.platform}-${host.arch}`];
  if (cpu === undefined) return [];
  const cuda = host.nvidia && (cpu === 'linux-x64' || cpu === 'win-x64') ? [`${cpu}-cuda`, `${cpu}-cuda-ext`] : [];
  return [cpu, ...cuda].map((name) => `@node-llama-cpp/${name}`);
}

export function thisHost(): Host {
  const { platform, arch } = process;
  return { platform, arch, nvidia: existsSync('/proc/driver/nvidia/version') };
}
