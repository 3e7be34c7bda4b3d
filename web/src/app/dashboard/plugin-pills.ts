import { Component, computed, input } from '@angular/core';
import type { Plugin } from '../api/contract';
import { Ago } from '../ui/ago';
import { Status } from '../ui/status';
import { backend, circuit, compatibility, quarantine, worker } from '../words/plugin-words';
import type { StatusWord } from '../words/tone';

interface Pill {
  name: string;
  status: StatusWord;
  reason: string | null;
  since: number | null;
  retryAt: number | null;
}

/** F5: five separate states in a fixed order, so that the eye learns the place. */
@Component({
  selector: 'soai-plugin-pills',
  imports: [Ago, Status],
  template: `
    <dl>
      @for (pill of pills(); track pill.name) {
        <div>
          <dt>{{ pill.name }}</dt>
          <dd>
            <soai-status [tone]="pill.status.tone" [title]="pill.status.explanation">{{
              pill.status.word
            }}</soai-status>
          </dd>
        </div>
      }
    </dl>
    @for (pill of troubled(); track pill.name) {
      <p class="reason small">
        <strong>{{ pill.name }} {{ pill.status.word.toLowerCase() }}:</strong>
        {{ pill.reason ?? pill.status.explanation }}
        @if (pill.since !== null) {
          <span class="muted">&ngsp;· <soai-ago [at]="pill.since" /></span>
        }
        @if (pill.retryAt !== null) {
          <span class="muted">&ngsp;· next probe <soai-ago [at]="pill.retryAt" /></span>
        }
      </p>
    }
  `,
  styleUrl: './plugin-pills.scss',
})
export class PluginPills {
  readonly plugin = input.required<Plugin>();

  protected readonly pills = computed<Pill[]>(() => {
    const { compatibility: fit, backend: back, worker: work, quarantine: held, circuit: current } = this.plugin();
    return [
      pill('Package', compatibility[fit.state], fit.reason),
      pill('Backend', backend[back.state], back.reason),
      pill('Worker', worker[work.state], work.reason),
      pill('Quarantine', quarantine[held.state], held.reason, held.since),
      pill('Circuit', circuit[current.state], failures(current), current.last_failure_at, current.retry_at),
    ];
  });

  /** The cause always stands beside a bad state. */
  protected readonly troubled = computed(() =>
    this.pills().filter(({ status }) => status.tone === 'bad' || status.tone === 'warn'),
  );
}

function pill(
  name: string,
  status: StatusWord,
  reason: string | null,
  since: number | null = null,
  retryAt: number | null = null,
): Pill {
  return { name, status, reason, since, retryAt };
}

function failures(circuit: Plugin['circuit']): string | null {
  if (circuit.state === 'closed') return null;
  return `${circuit.failure_count} ${circuit.failure_count === 1 ? 'failure' : 'failures'} counted`;
}
