/**
 * In which protocol a model's backend is to be asked, by what the model can do (spec I, D3).
 *
 * | client asks for | model offers                 | asked in    |
 * |-----------------|------------------------------|-------------|
 * | any             | nothing named: unknown       | see below   |
 * | responses       | responses                    | responses   |
 * | responses       | chat, or unknown             | chat        |
 * | chat            | chat, or unknown             | chat        |
 * | chat            | responses alone              | responses   |
 * | anything else   | the same, or unknown         | the same    |
 * | any             | none of these                | null        |
 */
import type { Operation } from '../vocabulary';

/** Protocols that can stand in for one another, the preferred one first. */
const SPEAKABLE: Readonly<Record<Operation, readonly Operation[]>> = {
  chat: ['chat', 'responses'],
  responses: ['responses', 'chat'],
  completions: ['completions'],
  embeddings: ['embeddings'],
};

/** What is asked of a backend of which nothing is known. */
const USUAL: Readonly<Record<Operation, Operation>> = {
  chat: 'chat',
  responses: 'chat',
  completions: 'completions',
  embeddings: 'embeddings',
};

/** Null: the model can't serve such a request. */
export function spokenOperation(operation: Operation, capabilities: readonly string[]): Operation | null {
  if (capabilities.length === 0) return USUAL[operation];
  return SPEAKABLE[operation].find((candidate) => capabilities.includes(candidate)) ?? null;
}
