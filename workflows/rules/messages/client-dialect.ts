/** Anthropic Messages as a protocol of clients. */
import type { ClientDialect } from '../dialects/client-dialect';
import { chatRequestOf } from './chat-request';
import { MessageFromChat } from './from-chat';
import type { MessageObject } from './message-object';
import { replayMessage } from './replay';

export const messagesDialect: ClientDialect = {
  chatRequest: chatRequestOf,
  translator: (facts) => new MessageFromChat(facts),
  // A message stream can't be resumed: it is replayed whole, or not at all.
  replay: (answer) => replayMessage(JSON.parse(answer) as MessageObject),
};
