import { describeInBrowser, Stage } from './browser';
import * as fixtures from './fixtures';

jest.setTimeout(60_000);

describeInBrowser('tasks', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());

  test('filters are in the address and back works; pages are loaded on; new ones wait to be asked for', async () => {
    const now = Date.now();
    stage.soai.tasks = Array.from({ length: 120 }, (_, index) =>
      fixtures.task({
        id: `t-${index}`,
        accepted_at: now - index * 1_000,
        state: index % 2 === 0 ? 'completed' : 'failed',
      }),
    );
    const { page } = await stage.visit('/tasks');
    const rows = page.locator('tbody tr');
    await page.getByText('50 shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('100 shown').waitFor();
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL('**/tasks?state=failed');
    await page.getByText('50 shown').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('60 shown, that is all').waitFor();
    await page.goBack();
    await page.waitForURL('**/tasks');
    await page.locator('tbody').getByText('Completed').first().waitFor();

    const fresh = fixtures.task({ id: 'fresh', accepted_at: now + 1_000, model: 'brand-new' });
    stage.soai.tasks.push(fresh);
    stage.soai.send({ type: 'task', task: fixtures.summary(fresh) });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    expect(await rows.first().textContent()).not.toContain('brand-new');
    await page.getByRole('button', { name: '1 new' }).click();
    await rows.first().getByText('brand-new').waitFor();
    await page.context().close();
  });

  test('a running task can be cancelled, after a question that names what goes and what stays', async () => {
    stage.soai.tasks = [fixtures.task({ id: 'task-run', state: 'running', finished_at: null, model: 'team' })];
    const { page } = await stage.visit('/tasks/task-run');
    await page.getByRole('button', { name: 'Cancel task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this task?' });
    await dialog.getByText('Its record, with every attempt so far, stays.').waitFor();
    await dialog.getByRole('button', { name: 'Keep it running' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(stage.soai.requests('POST', '/api/v1/tasks/task-run/cancel')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await dialog.getByRole('button', { name: 'Cancel the task' }).click();
    await page.locator('.page-head').getByText('Cancelled').waitFor();
    await page.locator('.verdict').getByText('Cancelled by admin.').waitFor();
    await page.context().close();
  });

  test('C7: the stored answer has an address of its own', async () => {
    stage.soai.tasks = [fixtures.task({ id: 'task-done' })];
    stage.soai.responses.set('task-done', { choices: [{ message: { content: 'The stored answer' } }] });
    const { page } = await stage.visit('/tasks/task-done');
    await page.getByRole('link', { name: 'Response' }).click();
    await page.waitForURL('**/tasks/task-done?view=response');
    await page.getByText('The stored answer').first().waitFor();
    await page.context().close();
  });
});
