import { request, type Dispatcher } from 'undici';
import type { CallDeadlines } from '../adapter';
import { CallTimer, DEADLINE_TEXT } from '../call-timer';
import type { Connections } from './connections';
import { decodeBody } from './decode-body';
import { asUpstreamFailure } from './failures';
import { whenSent, type SentOn } from './sent-requests';
import { metStaleConnection } from './stale-connection';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly deadlines: CallDeadlines;
  readonly signal: AbortSignal;
}

export class Answer {
  private finished = false;

  constructor(
    readonly status: number,
    private readonly headers: Dispatcher.ResponseData['headers'],
    private readonly raw: Dispatcher.ResponseData['body'],
    private readonly timer: CallTimer,
    private readonly idleMs: number,
  ) {}

  /** The first value where a header came twice. */
  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** The decoded body. Ending the loop early closes the connection. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    try {
      const body = decodeBody(this.raw, this.header('content-encoding'));
      const reads = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      for (;;) {
        // The first read falls under the first-byte deadline, armed when the request left.
        const { done, value } = await this.timer.race(reads.next());
        this.timer.disarm();
        if (done === true) break;
        yield value;
        this.timer.arm(this.idleMs, DEADLINE_TEXT.idle);
      }
      this.finished = true;
    } catch (error) {
      throw asUpstreamFailure(this.timer.signal.aborted ? this.timer.signal.reason : error);
    } finally {
      this.close();
    }
  }

  /** Closes the connection unless the answer has been read to its end; then it is kept. */
  close(): void {
    this.timer.release();
    if (this.finished) return;
    this.finished = true;
    this.raw.on('error', () => undefined).destroy();
  }

  /** Lets an answer end that has said all it had to, so its connection can be kept. */
  finish(limitBytes: number, limitMs: number): void {
    if (this.finished) return;
    this.finished = true;
    this.timer.release();
    this.raw.dump({ limit: limitBytes, signal: AbortSignal.timeout(limitMs) }).catch(() => undefined);
  }
}

/** One request, one answer; redirects are not followed. @throws UpstreamFailure */
export async function exchange(connections: Connections, outgoing: Outgoing): Promise<Answer> {
  const timer = new CallTimer(outgoing.signal);
  let again = false;
  for (;;) {
    const dispatcher = connections.dispatcher(outgoing.deadlines.connectMs);
    let sent: SentOn | null = null;
    try {
      return await send(dispatcher, outgoing, timer, (on) => (sent = on));
    } catch (error) {
      if (!again && !timer.signal.aborted && metStaleConnection(error, sent)) {
        again = true;
        connections.retire(dispatcher);
        continue;
      }
      timer.release();
      throw asUpstreamFailure(error);
    }
  }
}

async function send(
  dispatcher: Dispatcher,
  { method, url, headers, body, deadlines }: Outgoing,
  timer: CallTimer,
  onSent: (sent: SentOn) => void,
): Promise<Answer> {
  timer.signal.throwIfAborted();
  timer.arm(deadlines.connectMs, DEADLINE_TEXT.connect);
  const awaitAnswer = (): void => timer.arm(deadlines.firstByteMs, DEADLINE_TEXT.firstByte);
  if (body === null) awaitAnswer();
  else {
    whenSent(body, (sent) => {
      onSent(sent);
      awaitAnswer();
    });
  }
  const sending = request(url, {
    method,
    headers,
    body,
    signal: timer.signal,
    dispatcher,
  });
  try {
    const answer = await timer.race(sending);
    return new Answer(answer.statusCode, answer.headers, answer.body, timer, deadlines.idleMs);
  } catch (error) {
    // undici rejects a call that is still connecting only once it is connected.
    sending.then(({ body: late }) => late.on('error', () => undefined).destroy()).catch(() => undefined);
    throw error;
  }
}
