/** A plain answer of a backend that speaks the Responses API itself. */
import type { RequestFacts } from '../dialects/client-dialect';
import { isRecord, reportedFailure } from '../failed-answer';
import { readJsonAnswer, type JsonAnswer } from '../json-answer';
import { NativeIds } from './native-ids';

export class NativeResponses {
  constructor(private readonly facts: RequestFacts) {}

  /** `at`: milliseconds since the epoch. */
  read(text: string, at: number): JsonAnswer {
    const read = readJsonAnswer(text, { operation: 'responses', clientModel: this.facts.clientModel });
    if (read.kind === 'failure') return read;
    const theirs: unknown = JSON.parse(read.text);
    if (!isRecord(theirs)) return read;
    const failed = theirs['status'] === 'failed' ? reportedFailure({ error: 'the response failed' }, text) : null;
    if (failed) return { kind: 'failure', facts: failed, message: failed.message };
    const ids = new NativeIds(this.facts);
    const response = theirs['status'] === 'incomplete' ? ids.response(theirs) : ids.completed(theirs, at);
    return { ...read, text: JSON.stringify(response) };
  }
}
