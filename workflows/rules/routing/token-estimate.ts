/**
 * How many tokens a text has at least, from its characters alone (spec D3 "context size where known").
 * No tokenizer of the member is at hand, so the estimate is low: a member is dropped only when the
 * request is surely too long for it, and its own answer decides the rest.
 *
 * | characters | to a token |
 * |------------|------------|
 * | ASCII      | 5          |
 * | any other  | 2          |
 */
const ASCII_PER_TOKEN = 5;
const OTHERS_PER_TOKEN = 2;
/** Longer texts are judged by this many characters: counting must not hold the event loop. */
const SAMPLE = 65_536;

export class TokenEstimate {
  private sum = 0;

  get tokens(): number {
    return Math.floor(this.sum);
  }

  add(text: string): void {
    const length = Math.min(text.length, SAMPLE);
    let others = 0;
    for (let at = 0; at < length; at += 1) if (text.charCodeAt(at) > 0x7f) others += 1;
    const sampled = (length - others) / ASCII_PER_TOKEN + others / OTHERS_PER_TOKEN;
    this.sum += length === 0 ? 0 : sampled * (text.length / length);
  }

  addToken(): void {
    this.sum += 1;
  }
}

/** The most tokens the client lets the answer have, 0 when it does not say. */
export function answerTokens(body: Readonly<Record<string, unknown>>): number {
  const limit = body['max_completion_tokens'] ?? body['max_output_tokens'] ?? body['max_tokens'];
  return typeof limit === 'number' && Number.isFinite(limit) && limit > 0 ? limit : 0;
}
