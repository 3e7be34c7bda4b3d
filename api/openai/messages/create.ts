/** POST /v1/messages: the Anthropic Messages API over the same tasks. */
import type { Context } from '../../state';
import { answerJson, answerStream, submissionOf, type InferenceDeps } from '../infer';
import { validate } from '../validate';
import { messageRequest, type MessageRequest } from './request';
import { messagesVoice } from './voice';

export async function createMessage(ctx: Context, deps: InferenceDeps): Promise<void> {
  const body: unknown = ctx.state.body;
  validate(messageRequest, body);
  const { service_tier: _tier, ...request } = body as MessageRequest & Record<string, unknown>;
  // Its SDK reads the request's id under this name.
  ctx.set('request-id', ctx.state.requestId);
  // Both of this API's tiers are the standard class here.
  const submission = submissionOf(ctx, 'messages', request, deps);
  if (submission.stream) await answerStream(ctx, submission, deps, messagesVoice);
  else await answerJson(ctx, submission, deps);
}
