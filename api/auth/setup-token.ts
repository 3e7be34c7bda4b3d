/** The one-time token of the set-up link (S46). */
import { newSecret, sha256Hex } from './secrets';

export const SETUP_TOKEN_TTL_MS = 24 * 60 * 60 * 1_000;

export function newSetupToken(): { readonly token: string; readonly hash: string } {
  const token = newSecret();
  return { token, hash: sha256Hex(token) };
}
