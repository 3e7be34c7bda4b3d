/**
 * A message or a reasoning item as it grows, with its events (contract 5): item added, then for each
 * part added, deltas, done, part done, then item done.
 */
import type { EventWriter } from './event-writer';
import type { Item } from './response-object';

export type PartType = 'output_text' | 'refusal' | 'reasoning_text';
export type ItemStatus = 'completed' | 'incomplete';

/** By part: the member that holds its text. */
const TEXT_MEMBER: Readonly<Record<PartType, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  reasoning_text: 'text',
};

export class TextItem {
  readonly item: Item;
  private readonly parts: Item[] = [];
  private open: { type: PartType; readonly part: Item; text: string; logprobs: unknown[] } | null = null;

  constructor(
    private readonly events: EventWriter,
    readonly kind: 'message' | 'reasoning',
    private readonly id: string,
    private readonly index: number,
  ) {
    const own = kind === 'message' ? { role: 'assistant', content: this.parts } : { summary: [], content: this.parts };
    this.item = { id, type: kind, status: 'in_progress', ...own };
    events.write('response.output_item.added', { output_index: index, item: this.item });
  }

  add(type: PartType, delta: string, logprobs: readonly unknown[]): void {
    if (this.open?.type !== type) {
      this.closePart();
      this.openPart(type);
    }
    const open = this.open!;
    open.text += delta;
    open.logprobs.push(...logprobs);
    this.sync();
    this.events.write(`response.${type}.delta`, { ...this.place(), delta, ...this.probabilities(type, logprobs) });
  }

  /** Of the text that is open; without one there is nothing to annotate. */
  annotate(annotation: Item): void {
    if (this.open?.type !== 'output_text') return;
    const annotations = this.open.part['annotations'] as Item[];
    annotations.push(annotation);
    this.events.write('response.output_text.annotation.added', {
      ...this.place(),
      annotation_index: annotations.length - 1,
      annotation,
    });
  }

  close(status: ItemStatus): void {
    this.closePart();
    this.item['status'] = status;
    this.events.write('response.output_item.done', { output_index: this.index, item: this.item });
  }

  private openPart(type: PartType): void {
    const rest = type === 'output_text' ? { annotations: [], logprobs: [] } : {};
    const part: Item = { type, [TEXT_MEMBER[type]]: '', ...rest };
    this.parts.push(part);
    this.open = { type, part, text: '', logprobs: [] };
    this.events.write('response.content_part.added', { ...this.place(), part });
  }

  private closePart(): void {
    if (!this.open) return;
    const { type, part, text, logprobs } = this.open;
    const done = { [TEXT_MEMBER[type]]: text, ...this.probabilities(type, logprobs) };
    this.events.write(`response.${type}.done`, { ...this.place(), ...done });
    this.events.write('response.content_part.done', { ...this.place(), part });
    this.open = null;
  }

  /** The part as it stands, for an answer that ends here. */
  private sync(): void {
    const { type, part, text, logprobs } = this.open!;
    part[TEXT_MEMBER[type]] = text;
    if (type === 'output_text') part['logprobs'] = logprobs;
  }

  private probabilities(type: PartType, logprobs: readonly unknown[]): { logprobs?: readonly unknown[] } {
    return type === 'output_text' ? { logprobs } : {};
  }

  private place(): { item_id: string; output_index: number; content_index: number } {
    return { item_id: this.id, output_index: this.index, content_index: this.parts.length - 1 };
  }
}
