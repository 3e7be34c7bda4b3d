import { Component } from '@angular/core';
import { RouterLink, RouterLinkActive } from '@angular/router';
import { Icon } from '../ui/icon';
import type { IconName } from '../ui/icons';

interface Destination {
  path: string;
  icon: IconName;
  word: string;
}

/** Pages that exist, in the order of use. */
const destinations: readonly Destination[] = [
  { path: '/', icon: 'dashboard', word: 'Dashboard' },
  { path: '/chat', icon: 'chat', word: 'Chat' },
  { path: '/tasks', icon: 'tasks', word: 'Tasks' },
];

/** A rail at the left; a bar at the bottom of a phone. */
@Component({
  selector: 'soai-navigation',
  imports: [RouterLink, RouterLinkActive, Icon],
  template: `
    <nav aria-label="Main">
      @for (each of destinations; track each.path) {
        <a
          [routerLink]="each.path"
          routerLinkActive="active"
          ariaCurrentWhenActive="page"
          [routerLinkActiveOptions]="{ exact: each.path === '/' }"
          [title]="each.word"
        >
          <soai-icon [name]="each.icon" />
          <span>{{ each.word }}</span>
        </a>
      }
    </nav>
  `,
  styleUrl: './navigation.scss',
})
export class Navigation {
  protected readonly destinations = destinations;
}
