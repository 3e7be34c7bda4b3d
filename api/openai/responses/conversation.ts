/**
 * What a request refers to, put in its place: the turns before it and items sent by reference (T92).
 * Both can make a small request large, so both are bounded (S52).
 */
import { inputList, isReference } from '../../../workflows/rules/responses/context';
import type { Item } from '../../../workflows/rules/responses/response-object';
import { AppError } from '../../errors/app-error';
import type { ResponsesDeps } from './deps';
import type { StoredResponses } from './stored-responses';

const MAX_REFERENCES = 1_024;

export interface Context {
  readonly input: readonly Item[];
  /** How many items at the front are of earlier turns. */
  readonly contextItems: number;
}

/** Null: the request refers to nothing; its input is to be taken as it is. */
export async function contextOf(
  accountId: string,
  previousId: string | null,
  input: unknown,
  { responses, maxBodyBytes }: Pick<ResponsesDeps, 'responses' | 'maxBodyBytes'>,
): Promise<Context | null> {
  const own = inputList(input);
  const references = own.filter(isReference).length;
  if (previousId === null && references === 0) return null;
  if (references > MAX_REFERENCES) {
    throw new AppError('invalid_value', { param: 'input', message: `At most ${MAX_REFERENCES} items by reference.` });
  }
  const param = 'previous_response_id';
  const earlier = previousId === null ? [] : await responses.conversation(accountId, previousId, param);
  const size = new Size(maxBodyBytes, previousId === null ? 'input' : param);
  earlier.forEach((item) => size.add(item));
  const items: Item[] = [];
  for (const [index, item] of own.entries()) {
    const whole = isReference(item) ? await referred(responses, accountId, item.id, index) : item;
    size.add(whole);
    items.push(whole);
  }
  return { input: [...earlier, ...items], contextItems: earlier.length };
}

async function referred(responses: StoredResponses, accountId: string, id: string, index: number): Promise<Item> {
  const item = await responses.item(accountId, id);
  if (item) return item;
  throw new AppError('response_not_found', {
    param: `input[${index}].id`,
    message: `There is no item with the id '${id}'.`,
  });
}

/** Adds up before anything is joined, so that what is too large is never made. */
class Size {
  private bytes = 0;

  constructor(
    private readonly limit: number,
    private readonly param: string,
  ) {}

  add(item: Item): void {
    this.bytes += Buffer.byteLength(JSON.stringify(item));
    if (this.bytes <= this.limit) return;
    throw new AppError('request_too_large', {
      param: this.param,
      message: 'With the turns and items it refers to, the request is larger than this server accepts.',
    });
  }
}
