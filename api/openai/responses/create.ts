/** POST /v1/responses (contract 5). */
import type { Submission } from '../../../activities/dispatcher';
import { responseIdOf } from '../../../workflows/rules/responses/ids';
import type { Context } from '../../state';
import { answerJson, answerStream, submissionOf, submit } from '../infer';
import { validate } from '../validate';
import { contextOf } from './conversation';
import type { ResponsesDeps } from './deps';
import { responseRequest, type ResponseRequest } from './request';
import { answerFollowing } from './retrieve';
import { ResponsesVoice } from './voice';

type Request = ResponseRequest & Record<string, unknown>;

export async function createResponse(ctx: Context, deps: ResponsesDeps): Promise<void> {
  const body: unknown = ctx.state.body;
  validate(responseRequest, body);
  const submission = await withContext(ctx, body as Request, deps);
  if (submission.background) return inBackground(ctx, submission, deps);
  if (submission.stream) return answerStream(ctx, submission, deps, voiceOf(ctx, submission));
  return answerJson(ctx, submission, deps);
}

/** T92: what is accepted holds all it refers to, so that any member and any later run can serve it. */
async function withContext(ctx: Context, request: Request, deps: ResponsesDeps): Promise<Submission> {
  const previousId = request.previous_response_id ?? null;
  const context = await contextOf(ctx.state.identity!.account.id, previousId, request.input, deps);
  const whole = context === null ? request : { ...request, input: context.input };
  // After the context is there: the member is chosen by all that it will be sent.
  const submission = submissionOf(ctx, 'responses', whole, deps);
  const stored = { id: responseIdOf(submission.id), previousId, contextItems: context?.contextItems ?? 0 };
  return {
    ...submission,
    body: context === null ? submission.body : JSON.stringify(whole),
    response: request.store === false ? null : stored,
  };
}

/** Nobody waits for it: the client gets its place in line, or follows what is written of it. */
async function inBackground(ctx: Context, submission: Submission, deps: ResponsesDeps): Promise<void> {
  const taskId = await submit(ctx, submission, null, deps);
  if (submission.stream) return answerFollowing(ctx, deps, taskId, -1);
  const task = await deps.store.tasks.get(taskId);
  ctx.body = task && (await deps.responses.object({ task }));
}

function voiceOf(ctx: Context, { id, model, background, parsedBody }: Submission): ResponsesVoice {
  const acceptedAt = Date.now();
  return new ResponsesVoice(() => ({
    // Another task's where the request was a repeated one.
    taskId: ctx.response.get('x-soai-task-id') || id,
    clientModel: model,
    acceptedAt,
    background,
    body: parsedBody,
    eventsBefore: 0,
  }));
}
