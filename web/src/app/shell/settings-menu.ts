import { LiveAnnouncer } from '@angular/cdk/a11y';
import { Component, inject, signal } from '@angular/core';
import { asProblem } from '../api/api-problem';
import { Session } from '../session/session';
import { Theme, type ThemeChoice } from '../theme/theme';
import { Icon } from '../ui/icon';
import type { IconName } from '../ui/icons';

const themes: readonly { choice: ThemeChoice; word: string; icon: IconName }[] = [
  { choice: 'system', word: 'System', icon: 'system' },
  { choice: 'light', word: 'Light', icon: 'light' },
  { choice: 'dark', word: 'Dark', icon: 'dark' },
];

@Component({
  selector: 'soai-settings-menu',
  imports: [Icon],
  templateUrl: './settings-menu.html',
  styleUrl: './settings-menu.scss',
})
export class SettingsMenu {
  protected readonly session = inject(Session);
  protected readonly theme = inject(Theme);
  protected readonly themes = themes;
  protected readonly problem = signal<string | null>(null);
  private readonly announcer = inject(LiveAnnouncer);

  protected choose(choice: ThemeChoice, word: string): void {
    this.theme.choose(choice);
    void this.announcer.announce(`${word} theme in use`, 'polite');
  }

  protected async signOut(): Promise<void> {
    this.problem.set(null);
    try {
      await this.session.signOut();
    } catch (error) {
      // Still signed in, and that must be read: on a shared machine it matters.
      this.problem.set(asProblem(error).message);
    }
  }
}
