/**
 * The output items of one response as they grow out of chat deltas.
 *
 * | next delta                                  | effect on the item before                              |
 * |---------------------------------------------|--------------------------------------------------------|
 * | the same kind                               | goes on                                                |
 * | another kind of text, or the first call     | closed, a new item opens                               |
 * | another call                                | closed if its arguments are whole, else both stay open |
 * | text after calls                            | every call is closed, a new item opens                 |
 * | more of a call that was closed              | dropped: nothing can follow whole JSON                 |
 *
 * A call opens once its name is known; what came of its arguments before follows at once.
 */
import { CallItem } from './call-item';
import type { EventWriter } from './event-writer';
import { outputItemId } from './ids';
import type { Item } from './response-object';
import { TextItem, type ItemStatus, type PartType } from './text-item';

interface Call {
  readonly callId: string;
  /** Arguments that came before the name; null: none. */
  early: string | null;
  item: CallItem | null;
  closed: boolean;
}

export class OutputBuilder {
  readonly items: Item[] = [];
  private text: TextItem | null = null;
  private readonly calls = new Map<number, Call>();
  private readonly callIds = new Set<string>();

  constructor(
    private readonly events: EventWriter,
    private readonly taskId: string,
  ) {}

  addText(type: PartType, delta: string, logprobs: readonly unknown[] = []): void {
    const kind = type === 'reasoning_text' ? 'reasoning' : 'message';
    if (this.text?.kind !== kind) {
      this.closeText('completed');
      this.closeCalls('completed');
      const index = this.items.length;
      this.text = new TextItem(this.events, kind, outputItemId(this.taskId, kind, index), index);
      this.items.push(this.text.item);
    }
    this.text.add(type, delta, logprobs);
  }

  annotate(annotation: Item): void {
    this.text?.annotate(annotation);
  }

  /** `id` and `name` where this delta has them; `args` null: it has no arguments at all. */
  addCall(index: number, id: string | null, name: string | null, args: string | null): void {
    const call = this.calls.get(index) ?? this.newCall(index, id);
    if (call.closed) return;
    if (!call.item && name === null) {
      if (args !== null) call.early = (call.early ?? '') + args;
      return;
    }
    const item = call.item ?? this.open(call, name!);
    if (args !== null) item.add(args);
  }

  close(status: ItemStatus): void {
    this.closeText(status);
    for (const call of this.calls.values()) if (!call.item && !call.closed) this.open(call, '');
    this.closeCalls(status);
  }

  private newCall(index: number, id: string | null): Call {
    const call = { callId: this.uniqueId(id, index), early: null, item: null, closed: false };
    this.calls.set(index, call);
    return call;
  }

  private open(call: Call, name: string): CallItem {
    this.closeText('completed');
    for (const other of this.calls.values()) if (other.item?.isWhole) this.closeCall(other, 'completed');
    const at = this.items.length;
    const id = outputItemId(this.taskId, 'function_call', at);
    const item = new CallItem(this.events, id, at, { callId: call.callId, name });
    this.items.push(item.item);
    call.item = item;
    if (call.early !== null) item.add(call.early);
    return item;
  }

  /** Some backends give every call the same id, or none. */
  private uniqueId(id: string | null, index: number): string {
    const wished = id ?? `call_${this.taskId.replace(/[^0-9a-f]/g, '')}${index}`;
    const unique = this.callIds.has(wished) ? `${wished}_${index}` : wished;
    this.callIds.add(unique);
    return unique;
  }

  private closeText(status: ItemStatus): void {
    this.text?.close(status);
    this.text = null;
  }

  private closeCalls(status: ItemStatus): void {
    for (const call of this.calls.values()) if (call.item) this.closeCall(call, status);
  }

  private closeCall(call: Call, status: ItemStatus): void {
    if (call.closed || !call.item) return;
    call.item.close(status);
    call.closed = true;
  }
}
