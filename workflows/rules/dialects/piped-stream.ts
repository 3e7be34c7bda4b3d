/** A backend's stream through the chat stream in the middle to the client's protocol. */
import type { ChatStream, StreamStep } from '../chat-stream';
import type { Usage } from '../usage';
import type { AnswerStep, AnswerStream, ServerEvent } from './answer-stream';
import type { EventDecoder } from './backend-dialect';
import type { ChunkTranslator } from './client-dialect';

export class PipedStream implements AnswerStream {
  constructor(
    private readonly chat: ChatStream,
    /** Null: the backend speaks chat. */
    private readonly decoder: EventDecoder | null,
    /** Null: the client speaks chat. */
    private readonly translator: ChunkTranslator | null,
  ) {}

  get given(): boolean {
    return this.chat.given;
  }

  get badLines(): number {
    return this.chat.badLines;
  }

  get usage(): Usage | null {
    return this.chat.usage;
  }

  step(data: string): AnswerStep {
    if (!this.decoder) return this.translated(this.chat.step(data));
    const forward: ServerEvent[] = [];
    for (const decoded of this.decoder.decode(data)) {
      const step = this.translated(this.chat.step(decoded));
      forward.push(...step.forward);
      if (step.failure || step.done) return { ...step, forward };
    }
    return { forward, failure: null, done: false };
  }

  finish(at: number): AnswerStep {
    const step = this.translated(this.chat.finish());
    if (step.failure || !this.translator) return step;
    return { ...step, forward: [...step.forward, ...this.translator.end(at)] };
  }

  assemble(): string {
    return this.translator ? this.translator.assemble() : this.chat.assemble();
  }

  private translated({ forward, failure, done }: StreamStep): AnswerStep {
    const { translator } = this;
    const events = translator
      ? forward.flatMap((chunk) => translator.chunk(chunk))
      : forward.map((data): ServerEvent => ({ event: null, data }));
    return { forward: events, failure, done };
  }
}
