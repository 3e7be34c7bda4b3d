/** A GET to an address that an administrator gave, but never to where credentials live (S1, S2). */
import { Agent, fetch as undiciFetch } from 'undici';
import { DownloadRefused } from '../adapter';
import { ForbiddenAddressError, guardedLookup, isForbiddenAddress } from '../openai-compatible/forbidden-address';

const MOST_REDIRECTS = 8;
const CONNECT_MS = 10_000;

/** Each address on the way is judged: the one given, and every one it redirects to. */
export async function guardedGet(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  const agent = new Agent({ connect: { timeout: CONNECT_MS, lookup: guardedLookup } });
  // Closes when the body has been read or given up.
  const closing = (): void => void agent.close();
  let current = judged(url);
  for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
    const response = await undiciFetch(current, { headers, signal, redirect: 'manual', dispatcher: agent }).catch(
      (error: unknown) => {
        closing();
        throw mended(error);
      },
    );
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) {
      closing();
      return response;
    }
    await response.body?.cancel();
    if (!URL.canParse(location, current)) throw new DownloadRefused('the server redirects to something that is no URL');
    current = judged(new URL(location, current).href);
  }
  closing();
  throw new DownloadRefused(`the server redirects more than ${MOST_REDIRECTS} times`);
}

function judged(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new DownloadRefused('only http and https are understood');
  if (isForbiddenAddress(url.hostname)) throw new DownloadRefused(new ForbiddenAddressError(url.hostname).message);
  return url.href;
}

/** What the guard found comes wrapped in a "fetch failed". */
function mended(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ForbiddenAddressError) return new DownloadRefused(cause.message);
  if (!(cause instanceof Error)) return error;
  const { code } = cause as NodeJS.ErrnoException;
  return new Error(`the server can't be reached (${code ?? cause.message})`, { cause });
}
