import { inject, Injector } from '@angular/core';
import { toObservable } from '@angular/core/rxjs-interop';
import { Router, type CanActivateFn } from '@angular/router';
import { filter, map, take } from 'rxjs';
import { Connection } from '../live/connection';
import { Session } from './session';

/** Signed in, or to the sign-in page and back. While the server is away the answer waits with it. */
export const signedIn: CanActivateFn = (_route, { url }) => {
  const session = inject(Session);
  const router = inject(Router);
  inject(Connection).start();
  return toObservable(session.state, { injector: inject(Injector) }).pipe(
    filter((state) => state.kind !== 'unknown'),
    take(1),
    map((state) => state.kind === 'in' || router.createUrlTree(['/sign-in'], { queryParams: returnTo(url) })),
  );
};

export function returnTo(url: string): { return?: string } {
  return url === '/' || url.startsWith('/sign-in') ? {} : { return: url };
}

/** A path of this app, or its front page: never another site. */
export function safeReturn(url: string | null | undefined): string {
  return url && /^\/(?![/\\])/.test(url) ? url : '/';
}
