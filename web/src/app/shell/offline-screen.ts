import type { ElementRef } from '@angular/core';
import { afterNextRender, Component, computed, DestroyRef, inject, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Clock } from '../live/clock';
import { Connection } from '../live/connection';
import { duration } from '../ui/duration';
import { Icon } from '../ui/icon';
import { FocusKeeper } from './focus-keeper';

/** Covers the page, which keeps its state below, until the connection is back. */
@Component({
  selector: 'soai-offline',
  imports: [MatButton, Icon],
  templateUrl: './offline-screen.html',
  styleUrl: './offline-screen.scss',
})
export class OfflineScreen {
  protected readonly connection = inject(Connection);
  private readonly clock = inject(Clock);
  private readonly heading = viewChild.required<ElementRef<HTMLElement>>('heading');

  protected readonly lost = computed(() => {
    const status = this.connection.status();
    return status.kind === 'lost' ? status : null;
  });

  protected readonly away = computed(() => {
    const lost = this.lost();
    return lost ? duration(Math.max(1_000, Math.floor((this.clock.now() - lost.since) / 1_000) * 1_000)) : '';
  });

  /** Whole seconds to the next try; null while it is being made. */
  protected readonly countdown = computed(() => {
    const next = this.lost()?.nextTryAt;
    return next == null ? null : Math.max(0, Math.ceil((next - this.clock.now()) / 1_000));
  });

  /** The server answers, but not with what is needed: say what it says. */
  protected readonly answer = computed(() => {
    const problem = this.lost()?.problem;
    return problem && problem.status !== 0 ? problem : null;
  });

  constructor() {
    const keeper = inject(FocusKeeper);
    afterNextRender({ read: () => this.heading().nativeElement.focus() });
    inject(DestroyRef).onDestroy(() => keeper.giveBack());
  }
}
