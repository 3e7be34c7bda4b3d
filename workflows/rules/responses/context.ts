/**
 * The input of a response with everything it refers to put in its place: the earlier turns in front
 * (their input, then their output), and items that were sent by reference. Any member can serve it then
 * (T92). Instructions are not inherited.
 */
import { isRecord } from '../failed-answer';
import type { Item } from './response-object';

export interface EarlierTurn {
  /** As it was put to its backend, its own context included. */
  readonly input: unknown;
  readonly output: readonly Item[];
}

/** A string is one message of the user's. */
export function inputList(input: unknown): readonly Item[] {
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

export function conversationOf(earlier: EarlierTurn): readonly Item[] {
  return [...inputList(earlier.input), ...earlier.output];
}

export function isReference(item: Item): item is Item & { readonly id: string } {
  return item['type'] === 'item_reference' && typeof item['id'] === 'string';
}
