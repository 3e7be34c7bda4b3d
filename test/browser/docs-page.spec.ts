import { chromium, type Browser } from 'playwright-core';
import { type ApiUnderTest, bearer, startApi } from '../api/api-under-test';
import { describeInBrowser } from './browser';

jest.setTimeout(60_000);

describeInBrowser('the page at /docs', () => {
  let api: ApiUnderTest;
  let browser: Browser;

  beforeAll(async () => {
    api = await startApi();
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser.close();
    await api.close();
  });

  test('I: shows every group of the API to who is signed in, and asks nothing of other hosts', async () => {
    const page = await browser.newPage({ extraHTTPHeaders: bearer(api.adminKey) });
    const trouble: string[] = [];
    page.on('console', (message) => message.type() === 'error' && trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(api.url) && !request.url().startsWith('data:')) trouble.push(request.url());
    });
    await page.goto(`${api.url}/docs`);
    await page.locator('.opblock-tag', { hasText: 'tasks' }).waitFor();
    await page.locator('.opblock', { hasText: '/api/v1/usage' }).first().click();
    await page.getByText('What to group by').waitFor();
    expect(trouble).toEqual([]);
    await page.close();
  });

  test('I: tells who is not signed in where to do so', async () => {
    const page = await browser.newPage();
    await page.goto(`${api.url}/docs`);
    await page.getByRole('link', { name: 'open SoAI' }).waitFor();
    await page.close();
  });
});
