import { effect, inject, Service, untracked } from '@angular/core';
import { Router } from '@angular/router';
import { Connection } from '../live/connection';
import { LiveState } from '../live/live-state';
import { Session } from './session';
import { returnTo } from './session.guard';

/** What has to happen when somebody is signed in or out, wherever that came from. */
@Service()
export class AccountSwitch {
  constructor() {
    const session = inject(Session);
    const router = inject(Router);
    const connection = inject(Connection);
    const live = inject(LiveState);

    effect(() => {
      const state = session.state();
      if (state.kind !== 'out') return;
      untracked(() => {
        connection.stop();
        live.clear();
        // The guards handle a page that is only being opened; this is for the one already open.
        if (!router.navigated || isPublic(router.url)) return;
        const queryParams = state.expired ? returnTo(router.url) : {};
        void router.navigate(['/sign-in'], { queryParams });
      });
    });
  }
}

function isPublic(url: string): boolean {
  return url.startsWith('/sign-in') || url.startsWith('/setup');
}
