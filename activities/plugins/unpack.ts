/**
 * Unpacks a .tgz of a package: regular files and folders, nothing else. Every path is judged before
 * anything is written, and what comes out is counted while it comes (S7, S50).
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { entryName, PACKAGE_LIMITS, PackageBudget, PackageRefused, type PackageLimits } from './package-entry';
import { paxPath, readHeader, type TarHeader } from './tar-header';

const BLOCK = 512;
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;
const MAX_PAX_BYTES = 64 * 1024;

/** @param target an empty directory. @throws PackageRefused */
export async function unpack(archive: string, target: string, limits: PackageLimits = PACKAGE_LIMITS): Promise<void> {
  const { size } = await stat(archive);
  if (size > MAX_ARCHIVE_BYTES) throw new PackageRefused(`the archive is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  const writer = new EntryWriter(target, new PackageBudget(limits));
  const source = createReadStream(archive);
  const plain = source.pipe(createGunzip());
  source.on('error', (error) => plain.destroy(error));
  try {
    for await (const chunk of plain) await writer.push(chunk as Buffer);
    await writer.finish();
  } catch (error) {
    if (error instanceof PackageRefused) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw new PackageRefused(`it is no whole .tgz archive (${message})`);
    throw error;
  } finally {
    source.destroy();
    plain.destroy();
    await writer.close();
  }
}

class EntryWriter {
  private pending: Buffer = Buffer.alloc(0);
  /** Bytes of the entry that are still to come, and the filling behind them. */
  private left = 0;
  private filling = 0;
  private file: FileHandle | null = null;
  private pax: Buffer[] | null = null;
  private nextName: string | null = null;
  private over = false;
  private any = false;

  constructor(
    private readonly target: string,
    private readonly budget: PackageBudget,
  ) {}

  async push(chunk: Buffer): Promise<void> {
    if (this.over) return;
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    while (!this.over && (await this.step()));
  }

  async finish(): Promise<void> {
    if (!this.any) throw new PackageRefused('it is no tar archive, or an empty one');
    if (this.left > 0 || (!this.over && this.pending.length > 0)) throw new PackageRefused('it ends too early');
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = null;
  }

  /** Takes what one step needs from what has come; false when that is not there yet. */
  private async step(): Promise<boolean> {
    if (this.left > 0) return this.content();
    if (this.filling > 0) return this.skip();
    if (this.pending.length < BLOCK) return false;
    const block = this.take(BLOCK);
    if (block.every((byte) => byte === 0)) this.over = true;
    else await this.begin(readHeader(block));
    return true;
  }

  private async content(): Promise<boolean> {
    if (this.pending.length === 0) return false;
    const part = this.take(Math.min(this.left, this.pending.length));
    this.left -= part.length;
    if (this.pax) this.pax.push(part);
    else await this.file?.writeFile(part);
    if (this.left === 0) await this.end();
    return true;
  }

  private skip(): boolean {
    if (this.pending.length === 0) return false;
    this.filling -= this.take(Math.min(this.filling, this.pending.length)).length;
    return true;
  }

  private async begin(header: TarHeader): Promise<void> {
    this.any = true;
    this.left = header.size;
    this.filling = (BLOCK - (header.size % BLOCK)) % BLOCK;
    if (header.kind === 'pax') {
      if (header.size > MAX_PAX_BYTES) throw new PackageRefused('one of its extended headers is too large');
      this.budget.entry();
      this.pax = [];
    } else {
      const given = this.nextName ?? header.name;
      this.nextName = null;
      if (header.kind === 'folder') await this.folder(given, header);
      else await this.regular(given, header);
    }
    if (this.left === 0) await this.end();
  }

  private async folder(given: string, header: TarHeader): Promise<void> {
    this.budget.entry();
    if (header.size > 0) throw new PackageRefused('a folder in it has content');
    // The archive's own root.
    if (/^(\.\/?)?$/.test(given)) return;
    await mkdir(path.join(this.target, entryName(given)), { recursive: true, mode: 0o700 });
  }

  private async regular(given: string, header: TarHeader): Promise<void> {
    const name = entryName(given);
    this.budget.file(name, header.size);
    const file = path.join(this.target, name);
    try {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      // Never over, and never through, something that is there.
      this.file = await open(file, 'wx', header.executable ? 0o700 : 0o600);
    } catch (error) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      throw new PackageRefused(`${JSON.stringify(name)} is in it as a file and as a folder`);
    }
  }

  private async end(): Promise<void> {
    if (this.pax) {
      this.nextName = paxPath(Buffer.concat(this.pax)) ?? this.nextName;
      this.pax = null;
    }
    await this.close();
  }

  private take(bytes: number): Buffer {
    const taken = this.pending.subarray(0, bytes);
    this.pending = this.pending.subarray(bytes);
    return taken;
  }
}
