/**
 * One inference request at the HTTP side: judge the body, resolve the model, hand it to the
 * dispatcher, and give the client what comes back. Same path for chat, completions and embeddings.
 */
import type { z } from 'zod';
import type { DeliverySink } from '../../activities/delivery';
import type { Dispatcher, Submission } from '../../activities/dispatcher';
import type { Operation, Priority } from '../../workflows/contract';
import { priorityFor } from '../../workflows/rules/priority';
import type { Identity } from '../auth/identity';
import { permits } from '../auth/permissions';
import type { Context } from '../state';
import { AppError } from '../errors/app-error';
import { fromTaskFailure } from '../errors/render';
import { idempotencyOf } from './idempotency';
import { JsonSink } from './json-sink';
import type { ClientRequest } from './requests';
import { routeRequest, type RoutingSources } from './route-request';
import { HEADER_HOLD_MS, StreamSink } from './stream-sink';
import type { StreamVoice } from './stream-voice';
import { newTaskId } from './task-id';
import { validate } from './validate';

export interface InferenceDeps extends RoutingSources {
  readonly dispatcher: Dispatcher;
  /** Silence after which a stream gets a comment. */
  readonly keepAliveMs: number;
  readonly idempotencyTtlMs: number;
}

export interface InferenceRoute {
  readonly operation: Operation;
  readonly schema: z.ZodType;
}

export async function infer(ctx: Context, route: InferenceRoute, deps: InferenceDeps): Promise<void> {
  const body: unknown = ctx.state.body;
  validate(route.schema, body);
  const request = body as ClientRequest & Record<string, unknown>;
  const submission = submissionOf(ctx, route.operation, request, deps);
  if (request.stream === true) await answerStream(ctx, submission, deps);
  else await answerJson(ctx, submission, deps);
}

export function submissionOf(
  ctx: Context,
  operation: Operation,
  request: ClientRequest & Record<string, unknown>,
  deps: InferenceDeps,
): Submission {
  const identity = ctx.state.identity!;
  const bodyText = ctx.state.bodyText!;
  const taskId = newTaskId();
  const accountId = identity.account.id;
  // Elsewhere it is a field like any other, the backend's to judge.
  const background = operation === 'responses' && request['background'] === true;
  const asked = {
    id: taskId,
    operation,
    owner: identity.owner,
    accountId,
    priority: priorityOf(request.service_tier, identity),
    stream: request.stream === true,
    background,
    requestId: ctx.state.requestId,
    body: bodyText,
    parsedBody: request,
    idempotency: idempotencyOf(ctx.get('idempotency-key'), ctx.path, bodyText, Date.now() + deps.idempotencyTtlMs),
    clientTimeoutMs: clientTimeoutMs(ctx.get('x-stainless-timeout')),
  };
  // Last, since it reserves work against the member it chooses.
  const routed = routeRequest({ taskId, model: request.model, operation, body: request, accountId, background }, deps);
  return { ...asked, ...routed };
}

/** The OpenAI SDKs tell how many seconds they will wait. */
function clientTimeoutMs(header: string): number | undefined {
  const seconds = Number(header);
  return header !== '' && Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}

function priorityOf(serviceTier: unknown, identity: Identity): Priority {
  const decision = priorityFor(serviceTier, permits(identity.account, 'PRIORITY_HIGH'));
  if (decision.kind === 'granted') return decision.priority;
  throw new AppError(decision.kind === 'denied' ? 'insufficient_permissions' : 'invalid_value', {
    param: 'service_tier',
    message: decision.kind === 'denied' ? "This account may not use service_tier 'priority'." : 'Unknown service_tier.',
  });
}

export async function answerJson(ctx: Context, submission: Submission, deps: InferenceDeps): Promise<void> {
  const sink = new JsonSink();
  await submit(ctx, submission, sink, deps);
  const outcome = await sink.outcome;
  if (outcome.kind === 'failed') throw fromTaskFailure(outcome.failure);
  setServedBy(ctx, outcome.servedBy);
  ctx.status = 200;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = outcome.text;
}

export async function answerStream(
  ctx: Context,
  submission: Submission,
  deps: InferenceDeps,
  voice?: StreamVoice,
): Promise<void> {
  const sink = new StreamSink(deps.keepAliveMs, HEADER_HOLD_MS, voice);
  try {
    await submit(ctx, submission, sink, deps);
  } catch (error) {
    sink.abandon();
    throw error;
  }
  await sendStream(ctx, sink, () => {
    const standing = deps.dispatcher.standing(submission.id);
    if (standing) ctx.set('x-soai-queue-position', String(standing.position));
  });
}

/** The response's head as soon as there is something to tell, and `sink`'s events as its body. */
export async function sendStream(ctx: Context, sink: StreamSink, addHeaders?: () => void): Promise<void> {
  const head = await sink.head;
  if (head.kind === 'failed') throw fromTaskFailure(head.failure);
  setServedBy(ctx, head.servedBy);
  addHeaders?.();
  ctx.status = 200;
  ctx.type = 'text/event-stream; charset=utf-8';
  ctx.set('cache-control', 'no-cache, no-transform');
  ctx.set('x-accel-buffering', 'no');
  ctx.body = sink.body;
}

/** Returns the id of the task that answers: an earlier one's for a repeated request (A9). */
export async function submit(
  ctx: Context,
  submission: Submission,
  sink: DeliverySink | null,
  deps: InferenceDeps,
): Promise<string> {
  const outcome = await deps.dispatcher.submit(submission, sink);
  if (outcome.kind === 'refused') {
    const { code, message } = outcome.refusal;
    throw new AppError(code, { message });
  }
  if (outcome.kind === 'conflict') throw new AppError('idempotency_key_reused', { param: 'Idempotency-Key' });
  ctx.set('x-soai-task-id', outcome.taskId);
  // A10: the client is gone when its response closes, however far the request has come by then.
  if (ctx.res.closed || ctx.res.destroyed) outcome.leave();
  else ctx.res.once('close', outcome.leave);
  return outcome.taskId;
}

function setServedBy(ctx: Context, servedBy: { readonly modelId: string } | null): void {
  if (servedBy) ctx.set('x-soai-served-by', encodeURIComponent(servedBy.modelId));
}
