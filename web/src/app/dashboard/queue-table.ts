import { Component, computed, input } from '@angular/core';
import type { QueueSample } from '../live/queue-history';

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The sparkline's figures, newest first; only the rows where something changed. */
@Component({
  selector: 'soai-queue-table',
  template: `
    <div class="scroll" tabindex="0" role="region" aria-label="Queue depth over time">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Waiting</th>
            <th scope="col">Running</th>
          </tr>
        </thead>
        <tbody>
          @for (sample of rows(); track sample.at) {
            <tr>
              <th scope="row">{{ time(sample.at) }}</th>
              <td>{{ sample.waiting }}</td>
              <td>{{ sample.running }}</td>
            </tr>
          }
        </tbody>
      </table>
    </div>
  `,
  styles: `
    .scroll {
      max-height: 140px;
      overflow: auto;
    }
    table {
      width: 100%;
      border-collapse: collapse;
      font-size: 13px;
    }
    th,
    td {
      padding: 3px 8px 3px 0;
      font-weight: 400;
      text-align: right;
    }
    th:first-child {
      text-align: left;
    }
    thead th {
      position: sticky;
      top: 0;
      background: var(--soai-card);
      color: var(--soai-muted);
    }
  `,
})
export class QueueTable {
  readonly samples = input.required<readonly QueueSample[]>();

  protected readonly rows = computed(() =>
    this.samples()
      .filter((sample, index, all) => {
        const before = all[index - 1];
        return before?.waiting !== sample.waiting || before.running !== sample.running;
      })
      .reverse(),
  );

  protected time(at: number): string {
    return time.format(at);
  }
}
