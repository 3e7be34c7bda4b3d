import { randomUUID } from 'node:crypto';
import type { WorkerCall } from '../protocol';
import { parseChat, toHistory, type ChatRequest } from './chat-request';
import type { LoadedModel } from './loaded-model';
import { createdNow, finishReason, usageOf, type Outcome, type Reply } from './reply';
import { contextTooLong } from './request-fault';
import { toSampling } from './sampling-request';

/** Left free in the context, so that it is never shifted: an answer ends with `length` before. */
const CONTEXT_RESERVE = 1;

/** Checks all there is to check before a model is loaded for it. */
export function prepareChat(
  call: WorkerCall,
): (loaded: LoadedModel, reply: Reply, signal: AbortSignal) => Promise<Outcome> {
  const request = parseChat(call.body);
  const history = toHistory(request);
  return (loaded, reply, signal) => generate(call.model, request, history, loaded, reply, signal);
}

async function generate(
  model: string,
  request: ChatRequest,
  history: ReturnType<typeof toHistory>,
  { chat, tokenizer, contextSize }: LoadedModel,
  reply: Reply,
  signal: AbortSignal,
): Promise<Outcome> {
  const prompt = chat.chatWrapper.generateContextState({ chatHistory: history }).contextText.tokenize(tokenizer).length;
  const room = contextSize - prompt - CONTEXT_RESERVE;
  if (room < 1) throw contextTooLong(prompt, contextSize, 'messages');

  const head = { id: `chatcmpl-${randomUUID()}`, created: createdNow(), model };
  const withUsage = reply.stream && request.stream_options?.include_usage === true;
  const chunk = (delta: object, finish: string | null = null): void =>
    reply.event({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
    });

  let content = '';
  let reasoning = '';
  let completion = 0;
  if (reply.stream) chunk({ role: 'assistant', content: '' });
  const end = await chat.generateResponse(history, {
    ...toSampling(request),
    maxTokens: Math.min(request.max_completion_tokens ?? request.max_tokens ?? room, room),
    contextShift: { size: CONTEXT_RESERVE },
    signal,
    onResponseChunk({ type, segmentType, text, tokens }) {
      completion += tokens.length;
      if (text === '' || (type === 'segment' && segmentType !== 'thought')) return;
      if (reply.stream) chunk(type === 'segment' ? { reasoning_content: text } : { content: text });
      else if (type === 'segment') reasoning += text;
      else content += text;
    },
  });
  const usage = usageOf({ prompt, completion });
  if (!reply.stream) {
    const message = {
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      refusal: null,
    };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason(end) }];
    return JSON.stringify({ ...head, object: 'chat.completion', choices, usage });
  }
  chunk({}, finishReason(end));
  if (withUsage) reply.event({ ...head, object: 'chat.completion.chunk', choices: [], usage });
  return null;
}
