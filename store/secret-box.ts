/**
 * Secrets at rest (S54): AES-256-GCM with a key in a file of its own, so that a copy of the database
 * alone tells nothing. The file is made at the first secret.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The sentence is for the operator; it never holds a secret. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

export const secretKeyFile = (dataDir: string): string => path.join(dataDir, 'secret.key');

export class SecretBox {
  private key: Buffer | null = null;

  constructor(private readonly file: string) {}

  /** @param about what the secret belongs to; it opens for nothing else */
  async seal(secret: string, about: string): Promise<string> {
    this.key ??= (await this.read()) ?? (await this.create());
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(about));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, nameOf(this.key), nonce.toString('base64url'), text.toString('base64url')].join('.');
  }

  /** @throws SecretUnreadable */
  async open(sealed: string, about: string): Promise<string> {
    const [version, keyName, nonce = '', text = ''] = sealed.split('.');
    if (version !== VERSION) throw new SecretUnreadable('it was sealed by a newer version of SoAI');
    this.key ??= await this.read();
    if (!this.key) {
      throw new SecretUnreadable(`the key file ${this.file} is missing; restore it or enter the secret again`);
    }
    if (keyName !== nameOf(this.key)) {
      throw new SecretUnreadable(`it was sealed with another key than that of ${this.file}; enter the secret again`);
    }
    const bytes = Buffer.from(text, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, Buffer.from(nonce, 'base64url'));
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new SecretUnreadable('it was altered in the database; enter the secret again');
    }
  }

  private async read(): Promise<Buffer | null> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new SecretUnreadable(`the key file ${this.file} can't be read (${error.code})`);
    });
    if (text === null) return null;
    const key = Buffer.from(text.trim(), 'base64');
    if (key.length !== KEY_BYTES) throw new SecretUnreadable(`the key file ${this.file} is damaged`);
    return key;
  }

  /** Whole or not at all, and never over another process's. */
  private async create(): Promise<Buffer> {
    const draft = `${this.file}.${process.pid}.${randomBytes(4).toString('hex')}`;
    await writeFile(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    try {
      await link(draft, this.file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(draft, { force: true });
    }
    const key = await this.read();
    if (!key) throw new SecretUnreadable(`the key file ${this.file} can't be made`);
    return key;
  }
}

/** Tells keys apart without telling anything about them. */
function nameOf(key: Buffer): string {
  return createHash('sha256').update('soai key name').update(key).digest('base64url').slice(0, 8);
}
