import { computed, effect, inject, DOCUMENT, Service, signal } from '@angular/core';

export type ThemeChoice = 'system' | 'light' | 'dark';

/** Read before the first paint by public/theme-boot.js. */
const storageKey = 'soai.theme';

/** Follows the system unless told otherwise; the choice is remembered on this device. */
@Service()
export class Theme {
  private readonly document = inject(DOCUMENT);
  private readonly chosen = signal<ThemeChoice>(readChoice());
  private readonly systemDark = signal(false);

  readonly choice = this.chosen.asReadonly();
  readonly dark = computed(() => (this.chosen() === 'system' ? this.systemDark() : this.chosen() === 'dark'));

  constructor() {
    const query = this.document.defaultView?.matchMedia('(prefers-color-scheme: dark)');
    this.systemDark.set(query?.matches ?? false);
    query?.addEventListener('change', (event) => this.systemDark.set(event.matches));
    effect(() => this.apply(this.chosen()));
  }

  choose(choice: ThemeChoice): void {
    this.chosen.set(choice);
    try {
      if (choice === 'system') localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, choice);
    } catch {
      // Storage is blocked: the choice holds until the page is closed.
    }
  }

  private apply(choice: ThemeChoice): void {
    const { dataset } = this.document.documentElement;
    if (choice === 'system') delete dataset['theme'];
    else dataset['theme'] = choice;
  }
}

function readChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(storageKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Storage is blocked.
    return 'system';
  }
}
