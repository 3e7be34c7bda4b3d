import { Component, inject, signal } from '@angular/core';
import { RouterLink, RouterOutlet } from '@angular/router';
import { Icon } from '../ui/icon';
import { FocusKeeper } from './focus-keeper';
import { HealthPill } from './health-pill';
import { Navigation } from './navigation';
import { QueueCounts } from './queue-counts';
import { SettingsMenu } from './settings-menu';

const collapsedKey = 'soai.nav.collapsed';

@Component({
  selector: 'soai-shell',
  imports: [RouterLink, RouterOutlet, Icon, HealthPill, Navigation, QueueCounts, SettingsMenu],
  templateUrl: './shell.html',
  styleUrl: './shell.scss',
})
export class Shell {
  protected readonly collapsed = signal(readCollapsed());

  constructor() {
    // From now on, so that the place is known when the line drops.
    inject(FocusKeeper);
  }

  protected toggleNavigation(): void {
    this.collapsed.update((collapsed) => !collapsed);
    try {
      localStorage.setItem(collapsedKey, String(this.collapsed()));
    } catch {
      // Storage is blocked: it holds until the page is closed.
    }
  }

  protected skipToContent(main: HTMLElement): void {
    (main.querySelector<HTMLElement>('h1') ?? main).focus();
  }
}

function readCollapsed(): boolean {
  try {
    return localStorage.getItem(collapsedKey) === 'true';
  } catch {
    // Storage is blocked.
    return false;
  }
}
