/**
 * A backend's plain answer, checked and renamed for the client (spec D5, K "A 200 with an error body").
 *
 * | answer                                             | result                                         |
 * |----------------------------------------------------|------------------------------------------------|
 * | error object (`failed-answer.ts`)                  | failure with the status it names, else malformed |
 * | not a JSON object                                  | failure malformed                              |
 * | chat or completions without a choice               | failure malformed                              |
 * | embeddings without a `data` array                  | failure malformed                              |
 * | responses without an `output` array                | failure malformed                              |
 * | anything else                                      | the same text, `model` the client's name       |
 */
import { type DescribedFailure, isRecord, malformed, reportedFailure } from './failed-answer';
import { editMembers } from './json-edit';
import { readUsage, type Usage } from './usage';
import type { BackendOperation } from './vocabulary';

export type JsonAnswer =
  | { readonly kind: 'answer'; readonly text: string; readonly usage: Usage | null }
  | { readonly kind: 'failure'; readonly facts: DescribedFailure; readonly message: string };

export interface JsonAnswerOptions {
  readonly operation: BackendOperation;
  /** The name the client asked for. */
  readonly clientModel: string;
}

const MUST_HOLD: Readonly<Record<BackendOperation, { readonly member: string; readonly least: number }>> = {
  chat: { member: 'choices', least: 1 },
  completions: { member: 'choices', least: 1 },
  embeddings: { member: 'data', least: 0 },
  responses: { member: 'output', least: 0 },
};

export function readJsonAnswer(text: string, { operation, clientModel }: JsonAnswerOptions): JsonAnswer {
  const answer = parsed(text);
  if (!isRecord(answer)) return failure(malformed('the answer is not a JSON object', text));
  const reported = reportedFailure(answer, text);
  if (reported) return failure(reported);
  const { member, least } = MUST_HOLD[operation];
  const items = answer[member];
  if (!Array.isArray(items) || items.length < least) return failure(malformed(`the answer holds no ${member}`, text));
  const renamed = editMembers(text, { model: { kind: 'set', json: JSON.stringify(clientModel) } });
  return { kind: 'answer', text: renamed, usage: readUsage(answer['usage']) };
}

function failure(facts: DescribedFailure): JsonAnswer {
  return { kind: 'failure', facts, message: facts.message };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // No JSON at all: malformed, as any other non-object.
  }
}
