import type { ComponentFixture } from '@angular/core/testing';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { settled } from '../../testing/settle';
import { LiveState } from '../live/live-state';
import { Dashboard } from './dashboard';

describe('Dashboard', () => {
  let server: FakeServer;
  let live: LiveState;
  let fixture: ComponentFixture<Dashboard>;

  beforeEach(() => {
    TestBed.configureTestingModule({ providers: [provideRouter([])] });
    server = new FakeServer();
    server.install();
    live = TestBed.inject(LiveState);
    fixture = TestBed.createComponent(Dashboard);
  });

  function serve(plugins = [fixtures.plugin()], tasks = [fixtures.task()]): void {
    server
      .json('GET /api/v1/system/health', fixtures.health())
      .json(
        'GET /api/v1/queue',
        fixtures.queue({ waiting: 3, running: 2, by_priority: { high: 1, standard: 2, flex: 0 } }),
      )
      .json('GET /api/v1/plugins', { data: plugins, next_cursor: null })
      .json('GET /api/v1/tasks', { data: tasks.map(fixtures.summary), next_cursor: null })
      .json('GET /api/v1/system/info', fixtures.systemInfo());
  }

  async function shown(): Promise<HTMLElement> {
    await live.resync();
    return settled(fixture);
  }

  test('empty: every part says what would be there and what to do', async () => {
    serve([], []);
    const page = await shown();
    expect(page.textContent).toContain('No tasks yet');
    expect(page.textContent).toContain('soai key create');
    expect(page.textContent).toContain('No plugins yet');
    expect(page.textContent).toContain('All is well');
  });

  test('full: depth by priority, tasks, engine with its console, five pills in order', async () => {
    serve();
    const page = await shown();
    expect(page.querySelector('.figures')?.textContent.replace(/\s+/g, '')).toBe('Waiting3of1024Running2Deferred0');
    expect(page.querySelector('.priorities')?.textContent.replace(/\s+/g, '')).toBe('High1Standard2Flex0');
    expect(page.querySelectorAll('soai-task-table tbody tr')).toHaveLength(1);
    expect(page.querySelector('.console')?.getAttribute('href')).toBe('http://127.0.0.1:8233');
    const pills = [...page.querySelectorAll('soai-plugin-pills dt')].map((name) => name.textContent);
    expect(pills).toEqual(['Package', 'Backend', 'Worker', 'Quarantine', 'Circuit']);
  });

  test('error: a part that can’t be read says why, the others go on', async () => {
    serve();
    server.problem('GET /api/v1/plugins', 500, 'internal_error', 'The plugins are not at home.');
    const page = await shown();
    expect(page.querySelector('soai-plugins-card')?.textContent).toContain('The plugins are not at home.');
    expect(page.querySelector('soai-plugins-card')?.textContent).toContain('req-1');
    expect(page.querySelectorAll('soai-task-table tbody tr')).toHaveLength(1);
  });

  test('what a standard account may not read is left out, not shown as an error', async () => {
    serve();
    server
      .problem('GET /api/v1/plugins', 403, 'permission_denied')
      .problem('GET /api/v1/system/info', 403, 'permission_denied');
    const page = await shown();
    expect(page.querySelector('soai-plugins-card, soai-engine-card, soai-problem')).toBeNull();
    expect(page.querySelectorAll('soai-task-table tbody tr')).toHaveLength(1);
  });

  test('F5: a bad state stands beside its cause and its time', async () => {
    const circuit = {
      state: 'open' as const,
      failure_count: 3,
      last_failure_at: Date.now() - 200_000,
      retry_at: Date.now() + 1_245_000,
    };
    serve([fixtures.plugin({ circuit, backend: { state: 'error', reason: 'connect ECONNREFUSED' } })]);
    const text = (await shown()).querySelector('soai-plugin-pills')?.textContent.replace(/\s+/g, ' ');
    expect(text).toContain('Backend error: connect ECONNREFUSED');
    expect(text).toContain('Circuit open: 3 failures counted');
    expect(text).toMatch(/3 min ago.*next probe in 20 min/);
  });

  test('degraded: the reasons are on the page, live', async () => {
    serve();
    await shown();
    const reasons = [{ code: 'engine_down', message: 'The workflow engine is down. It is being restarted.' }];
    live.apply({ type: 'health', health: fixtures.health({ status: 'degraded', engine: 'down', reasons }) });
    const page = await settled(fixture);
    expect(page.querySelector('soai-health-card')?.textContent).toContain('It is being restarted.');
    expect(page.querySelector('soai-engine-card soai-status')?.textContent).toContain('Down');
  });

  test('the trend has a table in its place', async () => {
    serve();
    let page = await shown();
    expect(page.querySelector('soai-sparkline svg')?.getAttribute('aria-label')).toMatch(/now 3, at most 3/);
    page.querySelector<HTMLButtonElement>('.legend button')?.click();
    page = await settled(fixture);
    expect([...page.querySelectorAll('soai-queue-table td')].map((cell) => cell.textContent)).toEqual(['3', '2']);
  });
});
