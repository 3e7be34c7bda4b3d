/** POST /v1/responses (contract 5). */
import type { Submission } from '../../../activities/dispatcher';
import { AppError } from '../../errors/app-error';
import type { Context } from '../../state';
import { answerJson, answerStream, submissionOf, type InferenceDeps } from '../infer';
import { validate } from '../validate';
import { responseRequest, type ResponseRequest } from './request';
import { ResponsesVoice } from './voice';

export async function createResponse(ctx: Context, deps: InferenceDeps): Promise<void> {
  const body: unknown = ctx.state.body;
  validate(responseRequest, body);
  const request = body as ResponseRequest & Record<string, unknown>;
  if (request.background === true) throw new AppError('unsupported_parameter', { param: 'background' });
  if (request.previous_response_id) throw new AppError('response_not_found', { param: 'previous_response_id' });
  const submission = submissionOf(ctx, 'responses', request, deps);
  if (submission.stream) await answerStream(ctx, submission, deps, voiceOf(submission));
  else await answerJson(ctx, submission, deps);
}

function voiceOf({ id, model, background, parsedBody }: Submission): ResponsesVoice {
  const acceptedAt = Date.now();
  return new ResponsesVoice({
    taskId: id,
    clientModel: model,
    acceptedAt,
    background,
    body: parsedBody,
    eventsBefore: 0,
  });
}
