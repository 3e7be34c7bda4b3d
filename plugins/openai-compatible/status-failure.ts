import { UpstreamFailure } from '../adapter';
import type { Redact } from '../redact';
import { presentableError } from './error-body';
import type { Answer } from './exchange';
import { peekText } from './read-text';

/** Enough for any honest error; the presentable part is far smaller. */
const MAX_READ_BYTES = 64 * 1024;

/** An answer that is no success (B2, B3; fault D17: redirects are not followed). */
export async function statusFailure(answer: Answer, redact: Redact): Promise<UpstreamFailure> {
  const { status } = answer;
  if (status >= 300 && status < 400) {
    const to = redirectOrigin(answer.header('location'));
    answer.close();
    return new UpstreamFailure(
      'configuration',
      `The backend redirects (${status})${to}; BASE_URL must be the address that answers.`,
      { status },
    );
  }
  const retryAfter = answer.header('retry-after');
  const retryAfterMs = answer.header('retry-after-ms');
  const body = presentableError(await peekText(answer, MAX_READ_BYTES), redact);
  return new UpstreamFailure('status', `The backend answered ${status}.`, {
    status,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(body === '' ? {} : { body }),
  });
}

/** The origin alone: paths and queries of redirects carry tokens. */
function redirectOrigin(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}
