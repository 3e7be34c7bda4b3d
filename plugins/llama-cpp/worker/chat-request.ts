import { z } from 'zod';
import type { ChatHistoryItem } from './llama-api';
import { badRequest, parseBody } from './request-fault';
import { refuseUnsupported, samplingFields } from './sampling-request';

const textPart = z.object({ type: z.literal('text', 'only text can be read by this model'), text: z.string() });
const content = z.union([z.string(), z.array(textPart)], 'must be text or a list of text parts');

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({ role: z.literal('assistant'), content: content.nullish() }),
]);

const chatRequest = z.object({
  messages: z.array(message).min(1),
  ...samplingFields,
  max_completion_tokens: z.int().min(1).nullish(),
  response_format: z.object({ type: z.literal('text', 'only text is supported') }).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequest>;

const UNSUPPORTED = ['tools', 'functions', 'logprobs', 'audio', 'logit_bias'];

export function parseChat(body: Readonly<Record<string, unknown>>): ChatRequest {
  if (body.tool_choice !== 'none') refuseUnsupported(body, UNSUPPORTED);
  return parseBody(chatRequest, body);
}

/** As the chat template takes it: roles in order, the last item the one to be generated. */
export function toHistory({ messages }: ChatRequest): ChatHistoryItem[] {
  const history = messages.map((one): ChatHistoryItem => {
    const text = textOf(one.content);
    switch (one.role) {
      case 'system':
      case 'developer':
        return { type: 'system', text };
      case 'user':
        return { type: 'user', text };
      case 'assistant':
        return { type: 'model', response: [text] };
    }
  });
  if (messages.every(({ role }) => role !== 'user'))
    throw badRequest('invalid_value', 'messages: one must be from the user.', 'messages');
  return messages.at(-1)?.role === 'assistant' ? history : [...history, { type: 'model', response: [] }];
}

function textOf(value: z.infer<typeof content> | null | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : value.map(({ text }) => text).join('');
}
