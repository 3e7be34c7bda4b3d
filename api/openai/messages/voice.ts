/** The end and the failure of a message stream: `message_stop` is the answer's own last event. */
import { anthropicType } from '../../errors/anthropic-type';
import type { StreamVoice } from '../stream-voice';

export const messagesVoice: StreamVoice = {
  note: () => undefined,
  end: () => [],
  fail: ({ type, message, code }) => [
    {
      event: 'error',
      data: JSON.stringify({ type: 'error', error: { type: anthropicType(type, null), message, code } }),
    },
  ],
};
