/** The Responses API as a protocol of clients. */
import type { ClientDialect } from '../dialects/client-dialect';
import { chatRequestOf } from './chat-request';
import { ResponseFromChat } from './from-chat';
import { replayResponse } from './replay';
import type { ResponseObject } from './response-object';

export const responsesDialect: ClientDialect = {
  chatRequest: chatRequestOf,
  translator: (facts) => new ResponseFromChat(facts),
  replay: (answer, eventsBefore) => replayResponse(JSON.parse(answer) as ResponseObject, eventsBefore),
};
