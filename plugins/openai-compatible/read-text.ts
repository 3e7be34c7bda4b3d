import { UpstreamFailure } from '../adapter';
import type { Answer } from './exchange';

/** The whole body as text, at most `limit` bytes of it. @throws UpstreamFailure */
export async function readText(answer: Answer, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer.read()) {
      length += chunk.length;
      if (length > limit) {
        throw new UpstreamFailure('malformed', `The backend's answer is larger than ${limit} bytes (MAX_REPLY_BYTES).`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    // It was reached and did begin to answer: part of an answer is a bad one (spec K, "truncated JSON").
    if (!(error instanceof UpstreamFailure) || error.kind !== 'transport') throw error;
    throw new UpstreamFailure('malformed', "The backend's answer broke off before its end.", { cause: error });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks, length));
  } catch (cause) {
    throw new UpstreamFailure('malformed', "The backend's answer is not valid UTF-8.", { cause });
  }
}

/** The beginning of the body, for looking at: never throws, however the body ends. */
export async function peekText(answer: Answer, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  try {
    for await (const chunk of answer.read()) {
      text += decoder.decode(chunk.subarray(0, limit - length), { stream: true });
      length += chunk.length;
      if (length >= limit) break;
    }
  } catch {
    // The status says what happened; a body that can't be read adds nothing to it.
  }
  return text;
}
