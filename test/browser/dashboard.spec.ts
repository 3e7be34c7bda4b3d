import { describeInBrowser, Stage } from './browser';
import * as fixtures from './fixtures';
import { sendProblem } from './mock-soai';

jest.setTimeout(60_000);

describeInBrowser('the dashboard', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());
  beforeEach(() => {
    stage.soai.overrides.clear();
    stage.soai.tasks = [];
    stage.soai.plugins = [];
  });

  test('empty: says what would be here and offers the next step', async () => {
    const { page } = await stage.visit('/');
    await page.getByText('No tasks yet').waitFor();
    await page.getByText('No plugins yet').waitFor();
    await page.getByRole('link', { name: 'Say hello in the chat' }).click();
    await page.getByRole('heading', { name: 'New chat' }).waitFor();
    await page.context().close();
  });

  test('full: what comes by the event stream is on the page without a reload', async () => {
    stage.soai.plugins = [fixtures.plugin()];
    stage.soai.tasks = [fixtures.task({ id: 'task-a' })];
    const { page, trouble } = await stage.visit('/');
    await page.locator('soai-task-table').getByText('Completed').waitFor();
    stage.soai.send({ type: 'queue', queue: fixtures.queue({ waiting: 41, running: 8, oldest_wait_ms: 3_200 }) });
    await page.getByRole('link', { name: '41 waiting' }).waitFor();
    await page.getByText('Oldest has waited 3.2 s').waitFor();
    const running = fixtures.task({ id: 'task-b', state: 'running', finished_at: null, model: 'team' });
    stage.soai.send({ type: 'task', task: fixtures.summary(running) });
    await page.locator('soai-task-table').getByText('Running').waitFor();
    const circuit = {
      state: 'open' as const,
      failure_count: 3,
      last_failure_at: Date.now(),
      retry_at: Date.now() + 90_000,
    };
    stage.soai.send({ type: 'plugin', plugin: fixtures.plugin({ circuit }) });
    await page.getByText('3 failures counted').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await page.getByRole('region', { name: 'Queue depth over time' }).getByText('41').waitFor();
    expect(trouble).toEqual({ errors: [], dialogs: [], foreignRequests: [] });
    await page.context().close();
  });

  test('error: the part that can’t be read says why, with the request id, and the rest goes on', async () => {
    stage.soai.overrides.set('GET /api/v1/plugins', (_seen, response) =>
      sendProblem(response, 500, 'internal_error', 'The plugins are not at home.'),
    );
    const { page } = await stage.visit('/');
    await page.locator('soai-plugins-card').getByText('The plugins are not at home.').waitFor();
    await page.locator('soai-plugins-card').getByText('req-mock').waitFor();
    await page.locator('soai-health-card').getByText('All is well').waitFor();
    await page.context().close();
  });
});
