/** Numbers the events of one response stream: `sequence_number` grows by one, whatever the event. */
import type { ServerEvent } from '../dialects/answer-stream';

export class EventWriter {
  private written: ServerEvent[] = [];

  /** @param next the first event's number */
  constructor(private next: number) {}

  write(type: string, fields: Readonly<Record<string, unknown>>): void {
    const data = JSON.stringify({ type, sequence_number: this.next, ...fields });
    this.next += 1;
    this.written.push({ event: type, data });
  }

  /** What was written since the last call. */
  take(): readonly ServerEvent[] {
    const { written } = this;
    this.written = [];
    return written;
  }
}
