/** A page of a response's input items, as OpenAI lists them: every key always there. */
import type { Item } from '../../../workflows/rules/responses/response-object';
import { AppError } from '../../errors/app-error';
import type { InputItemsQuery } from './queries';

export interface ItemPage {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly first_id: unknown;
  readonly last_id: unknown;
}

export function itemPage(items: readonly Item[], { limit, order, after }: InputItemsQuery): ItemPage {
  const ordered = order === 'asc' ? items : [...items].reverse();
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    throw new AppError('invalid_value', { param: 'after', message: 'There is no item with this id in the list.' });
  }
  const data = ordered.slice(start, start + limit);
  return {
    object: 'list',
    data,
    has_more: start + limit < ordered.length,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
  };
}
