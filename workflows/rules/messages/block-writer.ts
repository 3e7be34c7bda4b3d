/**
 * The content blocks of one message as they grow out of chat deltas. In this protocol one block is
 * open at a time, so a block that begins while a call is still growing waits until the end.
 *
 * | next delta                                   | effect                                             |
 * |----------------------------------------------|----------------------------------------------------|
 * | of the open block                            | goes out at once                                   |
 * | of a new block, while text is open           | the text is closed, the block opens                |
 * | of a new block, while a call is open         | kept; goes out once the answer is whole            |
 */
import type { ServerEvent } from '../dialects/answer-stream';
import { isRecord } from '../failed-answer';
import type { Block } from './message-object';

interface Growing {
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'tool_use';
  /** Of a call: what identifies it among the deltas. */
  readonly call: number | null;
  readonly id: string;
  name: string;
  text: string;
  /** How much of `text` has been written. */
  written: number;
  started: boolean;
  stopped: boolean;
}

export class BlockWriter {
  private readonly blocks: Growing[] = [];
  private events: ServerEvent[] = [];

  constructor(private readonly taskId: string) {}

  addText(kind: 'text' | 'thinking', delta: string): void {
    const last = this.blocks.at(-1);
    const block = last?.kind === kind ? last : this.grow(kind, null, '');
    block.text += delta;
    this.flush();
  }

  addCall(call: number, id: string | null, name: string | null, args: string): void {
    const block = this.blocks.find((each) => each.call === call) ?? this.grow('tool_use', call, id ?? '');
    if (block.name === '' && name !== null) block.name = name;
    block.text += args;
    this.flush();
  }

  /** Nothing more comes: writes and closes what is left. */
  close(): void {
    this.flush();
    for (const block of this.blocks) {
      this.write(block);
      this.stop(block);
    }
  }

  get content(): readonly Block[] {
    return this.blocks.map((block) => contentOf(block));
  }

  /** What was written since the last call. */
  take(): readonly ServerEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  private grow(kind: Growing['kind'], call: number | null, id: string): Growing {
    const index = this.blocks.length;
    const block = {
      index,
      kind,
      call,
      id: id === '' || this.blocks.some((each) => each.id === id && kind === 'tool_use') ? this.ownId(index) : id,
      name: '',
      text: '',
      written: 0,
      started: false,
      stopped: false,
    };
    this.blocks.push(block);
    return block;
  }

  /** Some backends give every call the same id, or none. */
  private ownId(index: number): string {
    return `toolu_${this.taskId.replace(/^task_/, '').replaceAll('-', '')}${index.toString(16).padStart(2, '0')}`;
  }

  /** Writes the first unfinished block, and those after it as far as texts before them can be closed. */
  private flush(): void {
    for (const block of this.blocks) {
      if (block.stopped) continue;
      if (block.kind === 'tool_use') {
        if (block.name !== '') this.write(block);
        return;
      }
      this.write(block);
      if (block === this.blocks.at(-1)) return;
      this.stop(block);
    }
  }

  private write(block: Growing): void {
    if (block.stopped) return;
    if (!block.started) {
      block.started = true;
      this.event('content_block_start', { index: block.index, content_block: emptyOf(block) });
    }
    const delta = block.text.slice(block.written);
    block.written = block.text.length;
    if (delta !== '') this.event('content_block_delta', { index: block.index, delta: deltaOf(block.kind, delta) });
  }

  private stop(block: Growing): void {
    if (block.stopped) return;
    block.stopped = true;
    if (block.kind === 'thinking') {
      this.event('content_block_delta', { index: block.index, delta: { type: 'signature_delta', signature: '' } });
    }
    this.event('content_block_stop', { index: block.index });
  }

  private event(type: string, fields: Readonly<Record<string, unknown>>): void {
    this.events.push({ event: type, data: JSON.stringify({ type, ...fields }) });
  }
}

function emptyOf({ kind, id, name }: Growing): Block {
  switch (kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id, name, input: {} };
  }
}

function deltaOf(kind: Growing['kind'], delta: string): Block {
  switch (kind) {
    case 'text':
      return { type: 'text_delta', text: delta };
    case 'thinking':
      return { type: 'thinking_delta', thinking: delta };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: delta };
  }
}

function contentOf(block: Growing): Block {
  switch (block.kind) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(block.text) };
  }
}

/** Arguments that are no JSON object stay readable instead of being lost. */
function inputOf(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : { value: parsed };
  } catch {
    return { invalid_json: text };
  }
}
