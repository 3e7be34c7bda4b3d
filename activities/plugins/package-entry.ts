/** What one entry of a package may be, wherever it comes from (S7, S50). */

export class PackageRefused extends Error {
  override readonly name = 'PackageRefused';
}

export interface PackageLimits {
  readonly entries: number;
  readonly totalBytes: number;
}

export const PACKAGE_LIMITS: PackageLimits = { entries: 2_000, totalBytes: 512 * 1024 * 1024 };

const MAX_NAME = 240;
const MAX_DEPTH = 16;

/** Letters, digits and a few marks of any script; no control characters, separators of other systems or bidi marks. */
const PART = /^[\p{L}\p{N} ._@+()=,~#%&!-]+$/u;

/** A relative path of plain parts, as it is; refuses everything else. */
export function entryName(given: string): string {
  const name = given.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const quoted = JSON.stringify(given.slice(0, 80));
  if (name.length > MAX_NAME) throw new PackageRefused(`the name ${quoted} is longer than ${MAX_NAME} characters`);
  const parts = name.split('/');
  if (parts.length > MAX_DEPTH) throw new PackageRefused(`${quoted} lies deeper than ${MAX_DEPTH} folders`);
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..' || !PART.test(part) || /[ .]$/.test(part)) {
      throw new PackageRefused(`${quoted} is no name that a package may hold`);
    }
  }
  return name;
}

/** Counts what comes out, and refuses it before it is written. */
export class PackageBudget {
  private entries = 0;
  private bytes = 0;
  private readonly names = new Set<string>();

  constructor(private readonly limits: PackageLimits) {}

  /** The names of files are unique without regard to case, as some file systems have it. */
  file(name: string, size: number): void {
    this.entry();
    this.bytes += size;
    if (this.bytes > this.limits.totalBytes) {
      throw new PackageRefused(`it holds more than ${this.limits.totalBytes} bytes unpacked`);
    }
    const key = name.normalize('NFC').toLowerCase();
    if (this.names.has(key)) throw new PackageRefused(`it holds ${JSON.stringify(name)} twice`);
    this.names.add(key);
  }

  entry(): void {
    this.entries += 1;
    if (this.entries > this.limits.entries)
      throw new PackageRefused(`it holds more than ${this.limits.entries} entries`);
  }
}
