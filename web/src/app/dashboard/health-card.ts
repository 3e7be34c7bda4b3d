import { Component, inject } from '@angular/core';
import { LiveState } from '../live/live-state';
import { duration } from '../ui/duration';
import { ProblemNotice } from '../ui/problem-notice';
import { Status } from '../ui/status';

@Component({
  selector: 'soai-health-card',
  imports: [ProblemNotice, Status],
  template: `
    <section aria-labelledby="health-title">
      <div class="card-head">
        <h2 id="health-title">Health</h2>
        @if (live.health.value(); as health) {
          <span class="muted small">Version {{ health.version }}</span>
        }
      </div>
      @if (live.health.value(); as health) {
        <soai-status class="large" [tone]="health.status === 'ok' ? 'ok' : 'warn'">
          {{ health.status === 'ok' ? 'All is well' : 'Degraded' }}
        </soai-status>
        @if (health.reasons.length > 0) {
          <ul>
            @for (reason of health.reasons; track reason.code) {
              <li>
                <p>{{ reason.message }}</p>
                <code>{{ reason.code }}</code>
              </li>
            }
          </ul>
        } @else {
          <p class="muted">No reason to worry. Up for {{ uptime(health.uptime_sec) }}.</p>
        }
      } @else if (live.health.problem(); as problem) {
        <soai-problem title="The health can’t be read." [problem]="problem" />
      } @else {
        <p class="muted">Loading…</p>
      }
    </section>
  `,
  styleUrl: './health-card.scss',
})
export class HealthCard {
  protected readonly live = inject(LiveState);

  protected uptime(seconds: number): string {
    return duration(seconds * 1_000);
  }
}
