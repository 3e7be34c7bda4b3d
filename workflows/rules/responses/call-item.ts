/** A function call as it grows, with its events (contract 5). */
import type { EventWriter } from './event-writer';
import type { Item } from './response-object';
import type { ItemStatus } from './text-item';

export class CallItem {
  readonly kind = 'function_call';
  readonly item: Item;

  constructor(
    private readonly events: EventWriter,
    private readonly id: string,
    private readonly index: number,
    call: { readonly callId: string; readonly name: string },
  ) {
    this.item = {
      id,
      type: 'function_call',
      status: 'in_progress',
      call_id: call.callId,
      name: call.name,
      arguments: '',
    };
    events.write('response.output_item.added', { output_index: index, item: this.item });
  }

  add(delta: string): void {
    this.item['arguments'] = this.arguments + delta;
    this.events.write('response.function_call_arguments.delta', { ...this.place(), delta });
  }

  /** The arguments are a whole JSON value: nothing can follow but another call. */
  get isWhole(): boolean {
    try {
      JSON.parse(this.arguments);
      return true;
    } catch {
      return false; // Unfinished, or empty.
    }
  }

  close(status: ItemStatus): void {
    const { name, arguments: args } = this.item;
    this.events.write('response.function_call_arguments.done', { ...this.place(), name, arguments: args });
    this.item['status'] = status;
    this.events.write('response.output_item.done', { output_index: this.index, item: this.item });
  }

  private get arguments(): string {
    return this.item['arguments'] as string;
  }

  private place(): { item_id: string; output_index: number } {
    return { item_id: this.id, output_index: this.index };
  }
}
