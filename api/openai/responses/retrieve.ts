/** GET /v1/responses/{id}, whole or as the events of its stream. */
import type { Context } from '../../state';
import { sendStream } from '../infer';
import { HEADER_HOLD_MS, StreamSink } from '../stream-sink';
import { validate } from '../validate';
import type { ResponsesDeps } from './deps';
import { beginning, follow } from './follow';
import { FollowingVoice } from './voice';
import { retrieveQuery } from './queries';

export async function retrieveResponse(ctx: Context, deps: ResponsesDeps, id: string): Promise<void> {
  const query = validate(retrieveQuery, { ...ctx.query });
  const found = await deps.responses.find(ctx.state.identity!.account.id, id);
  ctx.set('x-soai-task-id', found.task.id);
  if (query.stream !== 'true') {
    ctx.body = await deps.responses.object(found);
    return;
  }
  const after = await beginning(deps.store, found.task.id, query.starting_after ?? null);
  await answerFollowing(ctx, deps, found.task.id, after);
}

/** Streams what is known of a response beyond event `after`, and what comes of it. */
export async function answerFollowing(ctx: Context, deps: ResponsesDeps, taskId: string, after: number): Promise<void> {
  const gone = new AbortController();
  if (ctx.res.closed || ctx.res.destroyed) gone.abort();
  else ctx.res.once('close', () => gone.abort());
  const sink = new StreamSink(deps.keepAliveMs, HEADER_HOLD_MS, new FollowingVoice(after));
  sink.admitted();
  void follow(deps, { taskId, after, gone: gone.signal }, sink);
  await sendStream(ctx, sink);
}
