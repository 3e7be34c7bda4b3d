/** Small JSON state files: written whole or not at all, and a damaged one reads as absent. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { ZodType } from 'zod';

export async function readJson<T>(path: string, schema: ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
