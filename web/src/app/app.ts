import { Component, inject } from '@angular/core';
import { RouterOutlet } from '@angular/router';
import { Connection } from './live/connection';
import { Session } from './session/session';
import { AccountSwitch } from './session/account-switch';
import { OfflineScreen } from './shell/offline-screen';
import { PageFocus } from './shell/page-focus';
import { Theme } from './theme/theme';

/** The page below stays as it is while the server is away: nothing typed, read or selected is lost. */
@Component({
  selector: 'soai-root',
  imports: [RouterOutlet, OfflineScreen],
  template: `
    <div class="app" [inert]="connection.outage()">
      @if (session.state().kind === 'unknown' && connection.status().kind === 'connecting') {
        <p class="boot" role="status">Connecting to SoAI…</p>
      }
      <router-outlet />
    </div>
    @if (connection.outage()) {
      <soai-offline />
    }
  `,
  styles: `
    :host,
    .app {
      display: block;
      height: 100%;
    }
    .boot {
      position: absolute;
      inset: 45% 0 auto;
      color: var(--soai-muted);
      text-align: center;
      animation: late 0.2s 0.6s both;
    }
    @keyframes late {
      from {
        opacity: 0;
      }
    }
  `,
})
export class App {
  protected readonly connection = inject(Connection);
  protected readonly session = inject(Session);

  constructor() {
    inject(Theme);
    inject(PageFocus);
    inject(AccountSwitch);
  }
}
