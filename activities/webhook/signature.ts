import { createHmac } from 'node:crypto';

/** The time is signed too, so that a receiver can refuse what was recorded and sent again later. */
export function signatureHeaders(body: string, timestampSec: number, secret: string | null): Record<string, string> {
  const timestamp = String(timestampSec);
  const headers = { 'x-soai-timestamp': timestamp };
  if (secret === null) return headers;
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { ...headers, 'x-soai-signature': `sha256=${digest}` };
}
