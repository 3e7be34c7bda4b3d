/** The Responses API as a protocol of backends, for clients that speak chat. */
import type { BackendDialect } from '../dialects/backend-dialect';
import { chatAnswerOf } from './answer';
import { ResponseEventDecoder } from './event-decoder';
import { responsesRequestOf } from './request';

export const chatOverResponses: BackendDialect = {
  request: responsesRequestOf,
  answer: chatAnswerOf,
  decoder: () => new ResponseEventDecoder(),
};
