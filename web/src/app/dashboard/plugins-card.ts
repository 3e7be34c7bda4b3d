import { Component, inject } from '@angular/core';
import { LiveState } from '../live/live-state';
import { EmptyState } from '../ui/empty-state';
import { ProblemNotice } from '../ui/problem-notice';
import { PluginPills } from './plugin-pills';

@Component({
  selector: 'soai-plugins-card',
  imports: [EmptyState, PluginPills, ProblemNotice],
  template: `
    <section aria-labelledby="plugins-title">
      <div class="card-head"><h2 id="plugins-title">Plugins</h2></div>
      @if (live.plugins.value(); as plugins) {
        <ul>
          @for (plugin of plugins; track plugin.id) {
            <li>
              <div class="name">
                <strong>{{ plugin.title || plugin.id }}</strong>
                <span class="muted small">
                  {{ plugin.title ? plugin.id + ' · ' : '' }}{{ plugin.package }} {{ plugin.version }}
                  @if (!plugin.enabled) {
                    · disabled
                  }
                </span>
                <span class="muted small">
                  {{ plugin.running }} of {{ plugin.max_concurrent_tasks }} running, {{ plugin.waiting }} waiting
                </span>
              </div>
              <soai-plugin-pills [plugin]="plugin" />
            </li>
          } @empty {
            <li>
              <soai-empty icon="plug" title="No plugins yet">
                A plugin connects SoAI to a model backend. Add one under <code>PLUGINS</code> in the settings file and
                start again; <code>soai config schema</code> lists what it takes.
              </soai-empty>
            </li>
          }
        </ul>
      } @else if (live.plugins.problem(); as problem) {
        <soai-problem title="The plugins can’t be shown." [problem]="problem" />
      } @else {
        <p class="muted">Loading…</p>
      }
    </section>
  `,
  styleUrl: './plugins-card.scss',
})
export class PluginsCard {
  protected readonly live = inject(LiveState);
}
