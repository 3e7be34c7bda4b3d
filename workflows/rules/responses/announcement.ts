/** The first events of a background stream: it is accepted, and waits. They are no answer (spec K). */
import type { ServerEvent } from '../dialects/answer-stream';
import type { RequestFacts } from '../dialects/client-dialect';
import { EventWriter } from './event-writer';
import { emptyResponse } from './response-object';

export function announceResponse(facts: RequestFacts): readonly ServerEvent[] {
  const events = new EventWriter(facts.eventsBefore);
  const response = emptyResponse(facts, 'queued');
  events.write('response.created', { response });
  events.write('response.queued', { response });
  return events.take();
}
