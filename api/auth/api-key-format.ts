/** The form of an API key: `sk-soai-` and 256 random bits; only its SHA-256 is stored (S47). */
import { newSecret, sha256Hex } from './secrets';

export const KEY_PREFIX = 'sk-soai-';

/** Characters of a key shown in lists: the prefix and four more. */
const SHOWN = KEY_PREFIX.length + 4;

const KEY = /^sk-soai-[A-Za-z0-9_-]{43}$/;

export interface NewApiKey {
  /** Shown once, stored nowhere. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
}

export function newApiKey(): NewApiKey {
  const key = KEY_PREFIX + newSecret();
  return { key, prefix: key.slice(0, SHOWN), hash: sha256Hex(key) };
}

export function looksLikeApiKey(text: string): boolean {
  return KEY.test(text);
}
