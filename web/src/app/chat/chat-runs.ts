import { LiveAnnouncer } from '@angular/cdk/a11y';
import { effect, inject, Service, signal } from '@angular/core';
import { ApiProblem, asProblem } from '../api/api-problem';
import { ModelApi, type CompletionRequest } from '../api/model-api';
import { SoaiApi } from '../api/soai-api';
import { readEvents } from '../live/sse-reader';
import { Session } from '../session/session';
import { readChunk } from './completion-chunk';
import { changeAnswer, type Answer } from './conversation';
import { Conversations } from './conversations';
import { FrameBatch } from './frame-batch';
import { place, QueueWatch } from './queue-watch';

/** The server itself gives up on a silent backend after 120 s and says so. */
const streamIdleMs = 150_000;

/** Answers being received. They go on while another page is open. */
@Service()
export class ChatRuns {
  private readonly models = inject(ModelApi);
  private readonly api = inject(SoaiApi);
  private readonly conversations = inject(Conversations);
  private readonly queueWatch = inject(QueueWatch);
  private readonly announcer = inject(LiveAnnouncer);
  private readonly running = new Map<string, AbortController>();
  private readonly waits = signal<ReadonlyMap<string, string>>(new Map());

  constructor() {
    const session = inject(Session);
    effect(() => {
      if (session.account() === null) for (const answerId of this.running.keys()) this.stop(answerId);
    });
  }

  /** Why the answer has not begun yet. */
  waitingFor(answerId: string): string | null {
    return this.waits().get(answerId) ?? null;
  }

  stop(answerId: string): void {
    this.running.get(answerId)?.abort();
  }

  async start(conversationId: string, answerId: string, request: CompletionRequest): Promise<void> {
    const leaving = new AbortController();
    this.running.set(answerId, leaving);
    const change = (change: Partial<Answer>): void => this.patch(conversationId, answerId, () => change);
    try {
      await this.receive(conversationId, answerId, request, leaving.signal);
      change({ state: 'done' });
      void this.announcer.announce('The answer is complete', 'polite');
    } catch (error) {
      if (leaving.signal.aborted) {
        change({ state: 'stopped' });
        void this.announcer.announce('Stopped', 'polite');
      } else {
        this.fail(conversationId, answerId, asProblem(error));
      }
    } finally {
      this.running.delete(answerId);
      this.stopWaiting(answerId);
      change({ finishedAt: Date.now() });
      this.conversations.saveNow();
    }
  }

  private async receive(
    conversationId: string,
    answerId: string,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const response = await this.models.stream(request, signal);
    const ids = idsOf(response);
    this.patch(conversationId, answerId, () => ids);
    const unwatch = this.watchQueue(answerId, response, ids.taskId);
    let text = '';
    let reasoning = '';
    let finished = false;
    const batch = new FrameBatch(() => {
      const [newText, newReasoning] = [text, reasoning];
      text = reasoning = '';
      if (newText || newReasoning) this.grow(conversationId, answerId, newText, newReasoning);
    });
    try {
      for await (const event of readEvents(bodyOf(response), { idleMs: streamIdleMs })) {
        const gain = readChunk(event.data);
        if (gain.done) return;
        text += gain.text;
        reasoning += gain.reasoning;
        if (gain.text || gain.reasoning) {
          unwatch();
          batch.request();
        }
        finished ||= gain.finishReason !== null;
        if (gain.finishReason !== null)
          this.patch(conversationId, answerId, () => ({ finishReason: gain.finishReason }));
        if (gain.completionTokens !== null)
          this.patch(conversationId, answerId, () => ({ completionTokens: gain.completionTokens }));
      }
      if (!finished) {
        throw new ApiProblem(
          'stream_interrupted',
          'The connection ended before the answer was complete.',
          'What arrived is kept. Try again for a whole answer.',
        );
      }
    } finally {
      batch.flush();
      unwatch();
      void this.learnServedBy(conversationId, answerId);
    }
  }

  private watchQueue(answerId: string, response: Response, taskId: string | null): () => void {
    const tell = (text: string): void => this.waits.update((waits) => new Map(waits).set(answerId, text));
    const position = Number(response.headers.get('x-soai-queue-position') ?? Number.NaN);
    if (Number.isInteger(position)) tell(place(position));
    return taskId === null ? () => undefined : this.queueWatch.watch(taskId, tell);
  }

  private grow(conversationId: string, answerId: string, text: string, reasoning: string): void {
    this.stopWaiting(answerId);
    this.patch(conversationId, answerId, (answer) => ({
      state: 'streaming',
      text: answer.text + text,
      reasoning: answer.reasoning + reasoning,
      firstTextAt: answer.firstTextAt ?? Date.now(),
    }));
  }

  private fail(conversationId: string, answerId: string, problem: ApiProblem): void {
    this.patch(conversationId, answerId, (answer) => ({
      state: 'failed',
      problem: {
        code: problem.code,
        message: problem.message,
        hint: problem.hint,
        requestId: problem.requestId ?? answer.requestId,
        taskId: problem.taskId ?? answer.taskId,
      },
    }));
    void this.announcer.announce(`The answer failed: ${problem.message}`, 'assertive');
  }

  /** Headers that had to leave before a backend was chosen can't name it; the task can. */
  private async learnServedBy(conversationId: string, answerId: string): Promise<void> {
    const answer = this.find(conversationId, answerId);
    if (!answer?.taskId || answer.servedBy) return;
    try {
      const { served_by: servedBy } = await this.api.task(answer.taskId);
      if (servedBy)
        this.patch(conversationId, answerId, () => ({ servedBy: `${servedBy.model} on ${servedBy.plugin}` }));
    } catch {
      // Nice to know, no more.
    }
  }

  private find(conversationId: string, answerId: string): Answer | undefined {
    return this.conversations
      .get(conversationId)
      ?.turns.flatMap((turn) => turn.answers)
      .find((answer) => answer.id === answerId);
  }

  private patch(conversationId: string, answerId: string, change: (answer: Answer) => Partial<Answer>): void {
    this.conversations.change(conversationId, (known) =>
      changeAnswer(known, answerId, (answer) => ({ ...answer, ...change(answer) })),
    );
  }

  private stopWaiting(answerId: string): void {
    if (!this.waits().has(answerId)) return;
    this.waits.update((waits) => new Map([...waits].filter(([id]) => id !== answerId)));
  }
}

function idsOf(response: Response): Pick<Answer, 'requestId' | 'taskId' | 'servedBy'> {
  const { headers } = response;
  return {
    requestId: headers.get('x-request-id'),
    taskId: headers.get('x-soai-task-id'),
    servedBy: decoded(headers.get('x-soai-served-by')),
  };
}

/** Header values are ASCII; a model's name need not be. */
function decoded(value: string | null): string | null {
  try {
    return value === null ? null : decodeURIComponent(value);
  } catch {
    // Not encoded after all.
    return value;
  }
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.body)
    throw new ApiProblem('empty_answer', 'The server sent an empty answer.', null, null, response.status);
  return response.body;
}
