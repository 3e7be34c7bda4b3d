import type { Page } from 'playwright-core';
import { describeInBrowser, Stage } from './browser';
import * as fixtures from './fixtures';

jest.setTimeout(60_000);

const background = (page: Page): Promise<string> =>
  page.locator('body').evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor ?? '');

describeInBrowser('the shell', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());

  test('the theme follows the system, a choice overrides it and survives a reload without a flash', async () => {
    const { page } = await stage.visit('/', { colorScheme: 'light' });
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    const light = await background(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await background(page);
    expect(dark).not.toBe(light);

    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'Light' }).check({ force: true });
    expect(await background(page)).toBe(light);
    // Before any module has run, theme-boot.js has already set it.
    await page.reload({ waitUntil: 'commit' });
    await page.locator('body').waitFor({ state: 'attached' });
    expect(await background(page)).toBe(light);

    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'System' }).check({ force: true });
    expect(await background(page)).toBe(dark);
    await page.context().close();
  });

  test('the health pill opens the reasons and follows live', async () => {
    stage.soai.health = fixtures.health();
    const { page } = await stage.visit('/tasks');
    await page.getByRole('button', { name: 'Health: Healthy' }).waitFor();
    const reasons = [{ code: 'engine_down', message: 'The workflow engine is down. It is being restarted.' }];
    stage.soai.send({ type: 'health', health: fixtures.health({ status: 'degraded', reasons }) });
    await page.getByRole('button', { name: 'Health: Degraded' }).click();
    await page.getByRole('dialog', { name: 'Health' }).getByText('It is being restarted.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Health' }).waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('the keyboard reaches the content by the skip link, and the focus follows to a new page', async () => {
    const { page } = await stage.visit('/');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Dashboard' }).waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.locator('h1:focus', { hasText: 'Tasks' }).waitFor();
    expect(await page.title()).toBe('Tasks · SoAI');
    await page.context().close();
  });

  test('a page that is not there says so and leads on', async () => {
    const { page } = await stage.visit('/no/such/page');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.title()).toBe('Page not found · SoAI');
    await page.getByRole('link', { name: 'To the dashboard', exact: true }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.context().close();
  });

  test('the navigation narrows to icons, keeps its names and remembers', async () => {
    const { page } = await stage.visit('/');
    await page.getByRole('button', { name: 'Narrow the navigation' }).click();
    const width = async (): Promise<number> => (await page.locator('soai-navigation').boundingBox())?.width ?? 0;
    expect(await width()).toBeLessThan(80);
    await page.reload();
    await page.getByRole('link', { name: 'Tasks', exact: true }).waitFor();
    expect(await width()).toBeLessThan(80);
    await page.context().close();
  });

  test('no page is wider than a phone of 360 px', async () => {
    const long = 'a-model-with-a-name-of-more-than-forty-characters/Donaudampfschifffahrtsgesellschaft';
    stage.soai.tasks = [
      fixtures.task({
        id: 'task-long',
        model: long,
        state: 'failed',
        reason: 'x',
        message: `MODELS.ROUTING.${'TIMEOUTS'.repeat(9)}`,
      }),
    ];
    stage.soai.models = [long];
    stage.soai.plugins = [
      fixtures.plugin({ id: long, title: long, backend: { state: 'error', reason: 'x'.repeat(120) } }),
    ];
    const { page } = await stage.page({ viewport: { width: 360, height: 740 } });
    for (const at of ['/', '/chat', '/tasks', '/tasks/task-long', '/nope', '/setup?token=x', '/sign-in']) {
      await page.goto(stage.soai.url + at);
      await page.locator('h1').waitFor();
      if (at === '/' || at === '/tasks') await page.getByRole('link', { name: long }).waitFor();
      const overflow = await page
        .locator('html, main')
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect([at, ...overflow]).toEqual([at, 0, 0]);
    }
    await page.context().close();
  });
});
