import { Component, computed, inject } from '@angular/core';
import { Connection } from '../live/connection';
import { LiveState } from '../live/live-state';
import { Status } from '../ui/status';
import type { Tone } from '../words/tone';

/** The one word about the whole, and the reasons behind it. */
@Component({
  selector: 'soai-health-pill',
  imports: [Status],
  templateUrl: './health-pill.html',
  styleUrl: './health-pill.scss',
})
export class HealthPill {
  protected readonly live = inject(LiveState);
  private readonly connection = inject(Connection);

  protected readonly pill = computed<{ tone: Tone; word: string }>(() => {
    const health = this.live.health.value();
    if (this.connection.status().kind === 'lost') return { tone: 'idle', word: 'Reconnecting' };
    if (!health) return { tone: 'idle', word: this.live.health.problem() ? 'Unknown' : 'Checking' };
    return health.status === 'ok' ? { tone: 'ok', word: 'Healthy' } : { tone: 'warn', word: 'Degraded' };
  });
}
