/**
 * Which declared capability serves which need (spec D3, J). The one place that knows about translation.
 *
 * | the request needs | a model serves it that declares        |
 * |-------------------|----------------------------------------|
 * | `chat`            | `chat`, or `responses` by translation  |
 * | `responses`       | `responses`, or `chat` by translation  |
 * | any other         | that one                               |
 * | anything          | nothing at all: unknown, so it may try |
 */
const SERVED_BY: Readonly<Record<string, readonly string[]>> = {
  chat: ['chat', 'responses'],
  responses: ['responses', 'chat'],
};

/** True when a model that declares these can do what is needed. */
export function offers(declared: readonly string[], needed: string): boolean {
  if (declared.length === 0) return true;
  return (SERVED_BY[needed] ?? [needed]).some((each) => declared.includes(each));
}
