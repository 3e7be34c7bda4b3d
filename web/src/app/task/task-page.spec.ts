import { TestBed } from '@angular/core/testing';
import { provideRouter, withComponentInputBinding } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { settled } from '../../testing/settle';
import { LiveState } from '../live/live-state';
import { TaskPage } from './task-page';

describe('TaskPage', () => {
  let server: FakeServer;
  let harness: RouterTestingHarness;

  beforeEach(async () => {
    TestBed.configureTestingModule({
      providers: [provideRouter([{ path: 'tasks/:id', component: TaskPage }], withComponentInputBinding())],
    });
    server = new FakeServer();
    server.install();
    harness = await RouterTestingHarness.create();
  });

  async function open(url = '/tasks/task-1'): Promise<HTMLElement> {
    await harness.navigateByUrl(url);
    return settled(harness.fixture);
  }

  test('tells the plan with its drops, the usage and where the workflow is', async () => {
    const plan = [
      { model: 'm1', plugin: 'up1', dropped: 'circuit_open' },
      { model: 'smollm2', plugin: 'local', dropped: null },
    ];
    server.json('GET /api/v1/tasks/task-1', fixtures.task({ id: 'task-1', plan }));
    const page = await open();
    expect(page.querySelector('soai-task-plan')?.textContent).toContain('Left out: circuit_open');
    expect(page.querySelector('soai-task-plan')?.textContent).toContain('Served it');
    expect(page.querySelector('soai-task-facts')?.textContent).toContain('57 tokens');
    expect(page.querySelector('a[target="_blank"]')?.getAttribute('href')).toContain('/workflows/task-1');
    expect(document.title).toBe('smollm2, completed · SoAI');
  });

  test('a task that is not there offers the way back, an error the request id and another try', async () => {
    server.problem('GET /api/v1/tasks/task-1', 404, 'task_not_found');
    expect((await open()).textContent).toContain('There is no such task');
    server.problem('GET /api/v1/tasks/task-2', 500, 'internal_error');
    const page = await open('/tasks/task-2');
    expect(page.textContent).toContain('req-1');
    expect(page.textContent).toContain('Try again');
  });

  test('follows live: the state at once, the attempts soon after', async () => {
    const running = fixtures.task({ id: 'task-1', state: 'running', finished_at: null, attempts: [] });
    server.json('GET /api/v1/tasks/task-1', running);
    let page = await open();
    expect(page.textContent).toContain('Cancel task');
    server.json('GET /api/v1/tasks/task-1', fixtures.task({ id: 'task-1' }));
    TestBed.inject(LiveState).apply({ type: 'task', task: fixtures.summary(fixtures.task({ id: 'task-1' })) });
    page = await settled(harness.fixture);
    expect(page.querySelector('.page-head soai-status')?.textContent).toContain('Completed');
    expect(page.textContent).not.toContain('Cancel task');
  });

  test('C7: the stored answer is shown as text and as it was sent', async () => {
    server
      .json('GET /api/v1/tasks/task-1', fixtures.task({ id: 'task-1' }))
      .json('GET /api/v1/tasks/task-1/response', { choices: [{ message: { content: 'The **answer**' } }] });
    const page = await open('/tasks/task-1?view=response');
    expect(page.querySelector('soai-markdown strong')?.textContent).toBe('answer');
    expect(page.querySelector('pre')?.textContent).toContain('"choices"');
  });

  test('without a stored answer the server’s sentence says why', async () => {
    server
      .json(
        'GET /api/v1/tasks/task-1',
        fixtures.task({ id: 'task-1', state: 'failed', reason: 'x', message: 'The backend gave none.' }),
      )
      .problem('GET /api/v1/tasks/task-1/response', 404, 'answer_not_available', 'The task is failed: no answer.');
    expect((await open('/tasks/task-1?view=response')).querySelector('soai-task-response')?.textContent).toContain(
      'The task is failed: no answer.',
    );
  });
});
