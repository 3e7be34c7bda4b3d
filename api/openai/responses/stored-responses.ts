/** Stored responses as their account may see them; anybody else's looks exactly like none (S17, S18). */
import type { Store } from '../../../store/store';
import type { ResponseRecord, TaskRecord } from '../../../store/records';
import type { RequestFacts } from '../../../workflows/rules/dialects/client-dialect';
import { conversationOf, inputList } from '../../../workflows/rules/responses/context';
import type { WordedError } from '../../../workflows/rules/responses/failed-response';
import { inputItemId, placeOf } from '../../../workflows/rules/responses/ids';
import type { Item, ResponseObject } from '../../../workflows/rules/responses/response-object';
import { storedResponse } from '../../../workflows/rules/responses/stored-response';
import { AppError } from '../../errors/app-error';
import { fromTaskFailure, openAiEnvelope } from '../../errors/render';

export interface Found {
  readonly record: ResponseRecord;
  readonly task: TaskRecord;
}

type Body = Readonly<Record<string, unknown>>;

export class StoredResponses {
  constructor(private readonly store: Store) {}

  /** @throws AppError response_not_found, naming `param` where the id came in a body */
  async find(accountId: string, id: string, param: string | null = null): Promise<Found> {
    const record = await this.store.responses.get(id);
    const task = record?.accountId === accountId ? await this.store.tasks.get(record.taskId) : null;
    if (record && task) return { record, task };
    throw new AppError('response_not_found', { param, message: `There is no response with the id '${id}'.` });
  }

  async object({ task }: Pick<Found, 'task'>): Promise<ResponseObject> {
    return storedResponse(await this.facts(task), {
      state: task.state,
      answer: task.finishedAt === null ? null : await this.answer(task.id),
      error: errorOf(task),
    });
  }

  async facts(task: TaskRecord, eventsBefore = 0): Promise<RequestFacts> {
    return {
      taskId: task.id,
      clientModel: task.model,
      acceptedAt: task.acceptedAt,
      background: task.background,
      body: await this.body(task.id),
      eventsBefore,
    };
  }

  /** What this request itself put in, with an id each. */
  async inputItems({ record, task }: Found): Promise<readonly Item[]> {
    const items = inputList((await this.body(task.id))['input']).slice(record.contextItems);
    return items.map((item, index) => withId(item, task.id, index));
  }

  private async answer(taskId: string): Promise<string | null> {
    return (await this.store.tasks.answer(taskId))?.text ?? null;
  }

  /** The whole conversation up to the end of a response. @throws AppError naming `param` */
  async conversation(accountId: string, id: string, param: string): Promise<readonly Item[]> {
    const { task } = await this.find(accountId, id, param);
    const answer = task.state === 'completed' ? await this.answer(task.id) : null;
    if (answer === null) {
      throw new AppError('invalid_value', {
        param,
        message: `The response '${id}' can't be continued: its task is ${task.state}.`,
      });
    }
    const { output } = JSON.parse(answer) as ResponseObject;
    return conversationOf({ input: (await this.body(task.id))['input'], output });
  }

  /** Null: there is no such item for this account. */
  async item(accountId: string, itemId: string): Promise<Item | null> {
    const place = placeOf(itemId);
    return place && this.itemAt(accountId, place);
  }

  private async itemAt(accountId: string, place: NonNullable<ReturnType<typeof placeOf>>): Promise<Item | null> {
    const record = await this.store.responses.get(place.responseId);
    const task = record?.accountId === accountId ? await this.store.tasks.get(record.taskId) : null;
    if (!record || !task) return null;
    const items =
      place.list === 'input' ? await this.inputItems({ record, task }) : (await this.object({ task })).output;
    return items[place.index] ?? null;
  }

  private async body(taskId: string): Promise<Body> {
    return JSON.parse((await this.store.tasks.requestBody(taskId)) ?? '{}') as Body;
  }
}

/** Why the task failed, worded as its client was told. */
export function errorOf(task: TaskRecord): WordedError {
  const failure = { code: task.reason ?? 'internal_error', message: task.sentence ?? 'The request failed.' };
  return openAiEnvelope(fromTaskFailure(failure)).error;
}

function withId(item: Item, taskId: string, index: number): Item {
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  const id = typeof item['id'] === 'string' && item['id'] !== '' ? item['id'] : inputItemId(taskId, type, index);
  if (type !== 'message') return { ...item, id };
  const { content } = item;
  const text = item['role'] === 'assistant' ? 'output_text' : 'input_text';
  return {
    status: 'completed',
    ...item,
    type,
    id,
    content: typeof content === 'string' ? [{ type: text, text: content }] : content,
  };
}
