import { afterNextRender, inject, Injector, Service } from '@angular/core';
import { NavigationEnd, Router } from '@angular/router';
import { filter, map, pairwise } from 'rxjs';

/**
 * After a move to another page the focus goes to its heading, so that the keyboard and the screen
 * reader arrive too. A change of filters or tabs (the query) is no move.
 */
@Service()
export class PageFocus {
  constructor() {
    const injector = inject(Injector);
    inject(Router)
      .events.pipe(
        filter((event) => event instanceof NavigationEnd),
        map((event) => event.urlAfterRedirects.split(/[?#]/)[0]),
        pairwise(),
        filter(([before, after]) => before !== after),
      )
      .subscribe(() => afterNextRender({ read: focusHeading }, { injector }));
  }
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}
