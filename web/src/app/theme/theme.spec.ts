import { TestBed } from '@angular/core/testing';
import { Theme } from './theme';

describe('Theme', () => {
  let system: EventTarget & { matches: boolean };

  beforeEach(() => {
    localStorage.clear();
    delete document.documentElement.dataset['theme'];
    system = Object.assign(new EventTarget(), { matches: false });
    jest.spyOn(window, 'matchMedia').mockReturnValue(system as unknown as MediaQueryList);
  });

  afterEach(() => jest.restoreAllMocks());

  function theme(): Theme {
    const made = TestBed.inject(Theme);
    TestBed.tick();
    return made;
  }

  test('follows the system from the first visit, and when it changes', () => {
    const made = theme();
    expect(made.choice()).toBe('system');
    expect(made.dark()).toBe(false);
    expect(document.documentElement.dataset['theme']).toBeUndefined();
    system.dispatchEvent(Object.assign(new Event('change'), { matches: true }));
    expect(made.dark()).toBe(true);
  });

  test('a choice overrides the system and is remembered where theme-boot.js looks for it', () => {
    const made = theme();
    made.choose('dark');
    TestBed.tick();
    expect(document.documentElement.dataset['theme']).toBe('dark');
    expect(localStorage.getItem('soai.theme')).toBe('dark');
    expect(made.dark()).toBe(true);
  });

  test('back to the system leaves nothing behind', () => {
    localStorage.setItem('soai.theme', 'light');
    const made = theme();
    expect(made.choice()).toBe('light');
    made.choose('system');
    TestBed.tick();
    expect(localStorage.getItem('soai.theme')).toBeNull();
    expect(document.documentElement.dataset['theme']).toBeUndefined();
  });

  test('nonsense in the storage is the system', () => {
    localStorage.setItem('soai.theme', '<script>');
    expect(theme().choice()).toBe('system');
  });
});
