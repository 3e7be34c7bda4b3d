import { TestBed } from '@angular/core/testing';
import { provideRouter, withComponentInputBinding } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { settled } from '../../testing/settle';
import { LiveState } from '../live/live-state';
import { Tasks } from './tasks';

describe('Tasks', () => {
  let server: FakeServer;
  let harness: RouterTestingHarness;

  beforeEach(async () => {
    TestBed.configureTestingModule({
      providers: [provideRouter([{ path: 'tasks', component: Tasks }], withComponentInputBinding())],
    });
    server = new FakeServer();
    server.install();
    server.json('GET /v1/models', { data: [{ id: 'm1' }, { id: 'm2' }] });
    harness = await RouterTestingHarness.create();
  });

  function serve(count: number, next: string | null = null): void {
    const tasks = Array.from({ length: count }, (_, index) =>
      fixtures.task({ id: `t${index}`, accepted_at: 1e12 - index }),
    );
    server.json('GET /api/v1/tasks', { data: tasks.map(fixtures.summary), next_cursor: next });
  }

  async function open(url: string): Promise<HTMLElement> {
    await harness.navigateByUrl(url);
    return settled(harness.fixture);
  }

  const rows = (page: HTMLElement): number => page.querySelectorAll('tbody tr').length;
  const button = (page: HTMLElement, text: RegExp): HTMLButtonElement => {
    const found = [...page.querySelectorAll('button')].find((each) => text.test(each.textContent));
    if (!found) throw new Error(`No button ${text}`);
    return found;
  };

  test('the address is the filter', async () => {
    serve(1);
    const page = await open('/tasks?state=failed&model=m2');
    const query = server.calls.find(({ path }) => path === '/api/v1/tasks')?.query;
    expect([query?.get('state'), query?.get('model')]).toEqual(['failed', 'm2']);
    expect(page.querySelector('[aria-pressed="true"]')?.textContent.trim()).toBe('Failed');
    expect(page.querySelector<HTMLSelectElement>('select[aria-label="Model"]')?.value).toBe('m2');
  });

  test('a filter that is chosen goes to the address and keeps the others', async () => {
    serve(1);
    const page = await open('/tasks?model=m2');
    button(page, /Running/).click();
    await settled(harness.fixture);
    expect(server.calls.at(-1)?.query.toString()).toBe('state=running&model=m2&limit=50');
  });

  test('“Load more” goes on at the cursor', async () => {
    serve(50, 'c-50');
    let page = await open('/tasks');
    expect(rows(page)).toBe(50);
    server.json('GET /api/v1/tasks', {
      data: [fixtures.summary(fixtures.task({ id: 'older', accepted_at: 1 }))],
      next_cursor: null,
    });
    button(page, /Load more/).click();
    page = await settled(harness.fixture);
    expect(server.calls.at(-1)?.query.get('cursor')).toBe('c-50');
    expect(rows(page)).toBe(51);
    expect(page.textContent).toContain('51 shown, that is all');
  });

  test('a new task is counted, not inserted; a known one changes in its place', async () => {
    serve(3);
    await open('/tasks');
    const live = TestBed.inject(LiveState);
    live.apply({ type: 'task', task: fixtures.summary(fixtures.task({ id: 'new', accepted_at: 2e12 })) });
    live.apply({
      type: 'task',
      task: fixtures.summary(fixtures.task({ id: 'new', accepted_at: 2e12, state: 'running' })),
    });
    live.apply({
      type: 'task',
      task: fixtures.summary(fixtures.task({ id: 't1', accepted_at: 1e12 - 1, state: 'failed' })),
    });
    let page = await settled(harness.fixture);
    expect(rows(page)).toBe(3);
    expect([...page.querySelectorAll('tbody soai-status')].map((each) => each.textContent)).toEqual([
      'Completed',
      'Failed',
      'Completed',
    ]);
    serve(4);
    button(page, /^1 new$/).click();
    page = await settled(harness.fixture);
    expect(rows(page)).toBe(4);
    expect(page.textContent).not.toMatch(/\d new/);
  });

  test('what does not match the filter is not counted', async () => {
    serve(1);
    await open('/tasks?state=failed');
    const live = TestBed.inject(LiveState);
    live.apply({ type: 'task', task: fixtures.summary(fixtures.task({ id: 'ok', accepted_at: 2e12 })) });
    live.apply({
      type: 'task',
      task: fixtures.summary(fixtures.task({ id: 'bad', accepted_at: 2e12, state: 'failed' })),
    });
    expect((await settled(harness.fixture)).textContent).toContain('1 new');
  });

  test('empty: with a filter it offers to clear it, without it says how tasks come', async () => {
    serve(0);
    expect((await open('/tasks?state=failed')).textContent).toContain('Clear the filters');
    expect((await open('/tasks')).textContent).toContain('Every request to a model becomes a task');
  });

  test('error: says why and tries again', async () => {
    server.problem('GET /api/v1/tasks', 500, 'internal_error', 'The ledger is closed.');
    let page = await open('/tasks');
    expect(page.textContent).toContain('The ledger is closed.');
    serve(2);
    button(page, /Try again/).click();
    page = await settled(harness.fixture);
    expect(rows(page)).toBe(2);
    expect(page.textContent).not.toContain('The ledger is closed.');
  });

  test('arrow keys walk the rows', async () => {
    serve(3);
    const page = await open('/tasks');
    document.body.append(page);
    const links = [...page.querySelectorAll<HTMLElement>('a.open')];
    links[0]?.focus();
    links[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
    expect(document.activeElement).toBe(links[1]);
    links[1]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }));
    expect(document.activeElement).toBe(links[0]);
  });
});
