import { Component, computed, inject, signal } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Clock } from '../live/clock';
import { LiveState } from '../live/live-state';
import { duration } from '../ui/duration';
import { ProblemNotice } from '../ui/problem-notice';
import { Sparkline } from '../ui/sparkline';
import { QueueTable } from './queue-table';

const hourMs = 60 * 60_000;

@Component({
  selector: 'soai-queue-card',
  imports: [RouterLink, ProblemNotice, QueueTable, Sparkline],
  templateUrl: './queue-card.html',
  styleUrl: './queue-card.scss',
})
export class QueueCard {
  protected readonly live = inject(LiveState);
  private readonly clock = inject(Clock);

  protected readonly asTable = signal(false);
  protected readonly samples = this.live.queueHistory.samples;
  protected readonly points = computed(() => this.samples().map(({ at, waiting }) => ({ at, value: waiting })));
  protected readonly peak = computed(() => Math.max(0, ...this.samples().map((sample) => sample.waiting)));

  /** The axis grows with what has been seen, up to an hour, and moves every ten seconds. */
  protected readonly to = computed(() => Math.ceil(this.clock.now() / 10_000) * 10_000);
  protected readonly from = computed(() => {
    const first = this.samples()[0]?.at ?? this.to();
    return Math.max(this.to() - hourMs, Math.min(first, this.to() - 60_000));
  });
  protected readonly span = computed(() => duration(this.to() - this.from()));

  protected share(waiting: number, capacity: number): number {
    return capacity > 0 ? Math.min(100, (waiting / capacity) * 100) : 0;
  }

  protected readonly duration = duration;
}
