import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Clock } from '../live/clock';
import { LiveState } from '../live/live-state';
import { Markdown } from '../markdown/markdown';
import { duration } from '../ui/duration';
import { ProblemNotice } from '../ui/problem-notice';
import { ChatRuns } from './chat-runs';
import type { Answer } from './conversation';

@Component({
  selector: 'soai-answer',
  imports: [RouterLink, Markdown, ProblemNotice],
  templateUrl: './answer-view.html',
  styleUrl: './answer-view.scss',
})
export class AnswerView {
  private readonly clock = inject(Clock);
  private readonly live = inject(LiveState);
  private readonly runs = inject(ChatRuns);
  readonly answer = input.required<Answer>();

  /** Before the server has given the task's id, the queue as a whole is all there is to tell. */
  protected readonly waitingFor = computed(() => {
    const { id, model } = this.answer();
    const inAll = this.live.queue.value()?.waiting ?? 0;
    const crowd = inAll > 0 ? `, ${inAll} in the queue` : '';
    return this.runs.waitingFor(id) ?? `Waiting for ${model}${crowd}`;
  });

  protected readonly waited = computed(() => {
    const ms = this.clock.now() - this.answer().startedAt;
    return ms < 1_000 ? '' : duration(Math.floor(ms / 1_000) * 1_000);
  });

  /** Told quietly under an answer: who served it, how long, how much. */
  protected readonly facts = computed(() => {
    const { servedBy, model, startedAt, finishedAt, firstTextAt, completionTokens } = this.answer();
    const facts = [servedBy ?? model];
    if (firstTextAt !== null) facts.push(`first words after ${duration(firstTextAt - startedAt)}`);
    if (finishedAt !== null) facts.push(`${duration(finishedAt - startedAt)} in all`);
    if (completionTokens !== null) facts.push(`${completionTokens} tokens`);
    return facts.join(' · ');
  });
}
