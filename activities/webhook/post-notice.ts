/** One try to tell one notice. */
import { Agent, request } from 'undici';
import { guardedLookup, isForbiddenAddress } from '../../plugins/openai-compatible/forbidden-address';
import type { FailureFacts } from '../../workflows/rules/vocabulary';
import type { Notice } from './notice';
import { signatureHeaders } from './signature';

/** Null: it was taken. */
export type PostNotice = (notice: Notice, signal: AbortSignal) => Promise<FailureFacts | null>;

export interface Receiver {
  readonly url: string;
  readonly secret: string | null;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** S1: no notice goes to a link-local or metadata address, whatever a name resolves to. */
export function receiverProblem({ url }: Pick<Receiver, 'url'>): string | null {
  return isForbiddenAddress(new URL(url).hostname) ? 'WEBHOOK.URL is a link-local or metadata address' : null;
}

export function postsTo({ url, secret, timeoutMs, now }: Receiver): PostNotice {
  // A receiver hears seldom: nothing is gained by keeping the connection. Redirects are not followed.
  const dispatcher = new Agent({ connect: { timeout: timeoutMs, lookup: guardedLookup }, pipelining: 0 });
  return async (notice, signal) => {
    const body = JSON.stringify(notice);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'soai-webhook',
      'x-soai-event': notice.type,
      ...signatureHeaders(body, Math.floor(now() / 1000), secret),
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher,
        signal: AbortSignal.any([signal, timeout]),
      });
      answer.body.on('error', () => undefined).destroy();
      const { statusCode: status } = answer;
      return status >= 200 && status <= 299 ? null : { kind: 'status', status };
    } catch {
      if (signal.aborted) return { kind: 'aborted' };
      return { kind: timeout.aborted ? 'timeout' : 'transport' };
    }
  };
}
