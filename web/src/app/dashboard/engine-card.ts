import { Component, computed, inject } from '@angular/core';
import { LiveState } from '../live/live-state';
import { Ago } from '../ui/ago';
import { Icon } from '../ui/icon';
import { ProblemNotice } from '../ui/problem-notice';
import { Status } from '../ui/status';
import type { StatusWord } from '../words/tone';

const states: Record<'up' | 'starting' | 'down', StatusWord> = {
  up: { tone: 'ok', word: 'Up', explanation: 'Workflows run.' },
  starting: { tone: 'info', word: 'Starting', explanation: 'New requests wait until it is up.' },
  down: {
    tone: 'bad',
    word: 'Down',
    explanation: 'Requests are refused or parked until it is back; SoAI restarts its own.',
  },
};

@Component({
  selector: 'soai-engine-card',
  imports: [Ago, Icon, ProblemNotice, Status],
  template: `
    <section aria-labelledby="engine-title">
      <div class="card-head">
        <h2 id="engine-title">Workflow engine</h2>
        @if (state(); as state) {
          <soai-status [tone]="state.tone">{{ state.word }}</soai-status>
        }
      </div>
      @if (live.system.value(); as system) {
        @if (state(); as state) {
          <p class="muted small">{{ state.explanation }}</p>
        }
        <dl>
          <dt>Temporal</dt>
          <dd>
            <code>{{ system.engine.address }}</code>, namespace <code>{{ system.engine.namespace }}</code>
          </dd>
          <dt>Database</dt>
          <dd>{{ system.database === 'sqlite' ? 'SQLite' : 'PostgreSQL' }}</dd>
          <dt>Data</dt>
          <dd>
            <code>{{ system.data_dir }}</code>
          </dd>
          <dt>Started</dt>
          <dd><soai-ago [at]="system.started_at" /></dd>
        </dl>
        @if (system.engine.console_url; as url) {
          <a class="console" [href]="url" target="_blank" rel="noopener"
            >Temporal console <soai-icon name="external"
          /></a>
        }
      } @else if (live.system.problem(); as problem) {
        <soai-problem title="The engine’s state can’t be read." [problem]="problem" />
      } @else {
        <p class="muted">Loading…</p>
      }
    </section>
  `,
  styleUrl: './engine-card.scss',
})
export class EngineCard {
  protected readonly live = inject(LiveState);

  /** Health is sent live, the system's description only after a connect: health knows better. */
  protected readonly state = computed(() => {
    const state = this.live.health.value()?.engine ?? this.live.system.value()?.engine.state;
    return state ? states[state] : null;
  });
}
