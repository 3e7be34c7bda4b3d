import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { WorkerCall } from '../protocol';
import type { LoadedModel } from './loaded-model';
import { createdNow, finishReason, usageOf, type Outcome, type Reply } from './reply';
import { contextTooLong, parseBody } from './request-fault';
import { refuseUnsupported, samplingFields, toSampling } from './sampling-request';

/** Left free in the context, so that it is never shifted. */
const CONTEXT_RESERVE = 1;

/** OpenAI's default for this endpoint. */
const DEFAULT_MAX_TOKENS = 16;

const completionRequest = z.object({
  prompt: z.union([z.string(), z.array(z.string()).min(1).max(64)], 'must be text or a list of texts'),
  ...samplingFields,
});

const UNSUPPORTED = ['suffix', 'echo', 'logprobs', 'logit_bias'];

/** The older completions endpoint: a prompt goes in as it is, without the chat template. */
export function prepareCompletion(
  call: WorkerCall,
): (loaded: LoadedModel, reply: Reply, signal: AbortSignal) => Promise<Outcome> {
  refuseUnsupported(call.body, UNSUPPORTED);
  const request = parseBody(completionRequest, call.body);
  return (loaded, reply, signal) => generate(call.model, request, loaded, reply, signal);
}

async function generate(
  model: string,
  request: z.infer<typeof completionRequest>,
  { completion, tokenize, contextSize }: LoadedModel,
  reply: Reply,
  signal: AbortSignal,
): Promise<Outcome> {
  const prompts = [request.prompt].flat();
  const lengths = prompts.map((prompt) => tokenize(prompt).length + 1);
  const longest = Math.max(...lengths);
  const room = contextSize - longest - CONTEXT_RESERVE;
  if (room < 1) throw contextTooLong(longest, contextSize, 'prompt');

  const head = { id: `cmpl-${randomUUID()}`, object: 'text_completion', created: createdNow(), model };
  const withUsage = reply.stream && request.stream_options?.include_usage === true;
  const choices: object[] = [];
  let generated = 0;
  for (const [index, prompt] of prompts.entries()) {
    let text = '';
    const chunk = (part: string, finish: string | null): void =>
      reply.event({
        ...head,
        choices: [{ index, text: part, logprobs: null, finish_reason: finish }],
        ...(withUsage ? { usage: null } : {}),
      });
    const end = await completion.generateCompletionWithMeta(prompt, {
      ...toSampling(request),
      maxTokens: Math.min(request.max_tokens ?? DEFAULT_MAX_TOKENS, room),
      contextShiftSize: CONTEXT_RESERVE,
      signal,
      onToken: (tokens) => (generated += tokens.length),
      onTextChunk(part) {
        if (part === '') return;
        if (reply.stream) chunk(part, null);
        else text += part;
      },
    });
    const finish = finishReason(end);
    if (reply.stream) chunk('', finish);
    else choices.push({ index, text, logprobs: null, finish_reason: finish });
  }
  const usage = usageOf({ prompt: lengths.reduce((sum, length) => sum + length, 0), completion: generated });
  if (!reply.stream) return JSON.stringify({ ...head, choices, usage });
  if (withUsage) reply.event({ ...head, choices: [], usage });
  return null;
}
