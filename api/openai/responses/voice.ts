/** How Responses streams end and fail (contract 5). */
import type { ServerEvent } from '../../../workflows/rules/dialects/answer-stream';
import type { RequestFacts } from '../../../workflows/rules/dialects/client-dialect';
import { failureEvents, interruption } from '../../../workflows/rules/responses/failed-response';
import { emptyResponse } from '../../../workflows/rules/responses/response-object';
import { ResponseSnapshot } from '../../../workflows/rules/responses/snapshot';
import type { OpenAiError } from '../../errors/render';
import { DONE, type StreamVoice } from '../stream-voice';

/** A stream that ends with its response: `error`, `response.failed`, `[DONE]` when it fails. */
export class ResponsesVoice implements StreamVoice {
  private readonly told = new ResponseSnapshot();

  /** @param facts asked once it fails: by then it is known whose task answers (A9) */
  constructor(private readonly facts: () => RequestFacts) {}

  note(data: string): void {
    this.told.add(JSON.parse(data) as Record<string, unknown>);
  }

  end(): readonly ServerEvent[] {
    return [DONE];
  }

  fail(error: OpenAiError['error']): readonly ServerEvent[] {
    const response = this.told.current ?? emptyResponse(this.facts(), 'in_progress');
    return [...failureEvents(response, error, this.told.sequence + 1), DONE];
  }
}

/** A stream of what is written of a response: when it fails the response goes on, so there is no `[DONE]`. */
export class FollowingVoice implements StreamVoice {
  constructor(private sequence: number) {}

  note(): void {
    this.sequence += 1;
  }

  end(): readonly ServerEvent[] {
    return [DONE];
  }

  fail(error: OpenAiError['error']): readonly ServerEvent[] {
    return [interruption(error, this.sequence + 1)];
  }
}
