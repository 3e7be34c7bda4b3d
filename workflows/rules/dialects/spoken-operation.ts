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
 * | messages        | chat, or unknown             | chat        |
 * | messages        | responses alone              | responses   |
 * | anything else   | the same, or unknown         | the same    |
 * | any             | none of these                | null        |
 */
import type { BackendOperation, Operation } from '../vocabulary';

/** Protocols that can stand in for one another, the preferred one first. */
const SPEAKABLE: Readonly<Record<Operation, readonly BackendOperation[]>> = {
  chat: ['chat', 'responses'],
  responses: ['responses', 'chat'],
  completions: ['completions'],
  embeddings: ['embeddings'],
  messages: ['chat', 'responses'],
};

/** What is asked of a backend of which nothing is known. */
const USUAL: Readonly<Record<Operation, BackendOperation>> = {
  chat: 'chat',
  responses: 'chat',
  completions: 'completions',
  embeddings: 'embeddings',
  messages: 'chat',
};

/** Null: the model can't serve such a request. */
export function spokenOperation(operation: Operation, capabilities: readonly string[]): BackendOperation | null {
  if (capabilities.length === 0) return USUAL[operation];
  return SPEAKABLE[operation].find((candidate) => capabilities.includes(candidate)) ?? null;
}
