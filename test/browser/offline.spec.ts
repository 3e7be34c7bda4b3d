import { describeInBrowser, Stage } from './browser';
import { Completion } from './completion';
import * as fixtures from './fixtures';

jest.setTimeout(90_000);

/** What the tests use of the page's own world. */
interface TextField {
  selectionStart: number;
  selectionEnd: number;
  setSelectionRange(start: number, end: number): void;
}
interface Watched {
  scared: boolean;
  MutationObserver: new (changed: () => void) => { observe(where: unknown, what: object): void };
}

describeInBrowser('offline and restarting', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());

  test('E8: the screen comes, counts down, and goes by itself; text, place and focus are as they were', async () => {
    const { page } = await stage.visit('/chat');
    const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}.`).join('\n\n');
    stage.soai.chat = (_seen, response) => new Completion(response).text(lines).finish();
    await page.getByLabel('Message').fill('Something long');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await page.locator('.scroll').evaluate((box) => box.scrollTo(0, 200));
    await page.getByLabel('Message').fill('Unsent words');
    await page.getByLabel('Message').evaluate((field) => (field as unknown as TextField).setSelectionRange(2, 6));

    await stage.soai.stop();
    await page.getByRole('alertdialog').getByText('SoAI is offline or restarting.').waitFor();
    await page.getByText('Keep this page open; it reconnects by itself.').waitFor();
    await page.getByText(/Next try in \d+ s/).waitFor();
    await page.locator('h1:focus').waitFor();

    stage.soai.queue = fixtures.queue({ waiting: 77 });
    const resynced = page.getByRole('link', { name: '77 waiting' });
    await stage.soai.start();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden', timeout: 20_000 });
    await resynced.waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('Unsent words');
    expect(await page.locator('.scroll').evaluate((box) => box.scrollTop)).toBe(200);
    await page.locator('textarea:focus').waitFor();
    const selection = await page.getByLabel('Message').evaluate((field) => {
      const { selectionStart, selectionEnd } = field as unknown as TextField;
      return [selectionStart, selectionEnd];
    });
    expect(selection).toEqual([2, 6]);
    await page.getByText('Line 59.').waitFor({ state: 'attached' });
    await page.context().close();
  });

  test('a short blip scares nobody', async () => {
    const { page } = await stage.visit('/tasks');
    await page.getByRole('button', { name: 'Health: Healthy' }).waitFor();
    await page.locator('body').evaluate((body) => {
      const view = body.ownerDocument.defaultView as unknown as Watched;
      view.scared = false;
      new view.MutationObserver(() => {
        if (body.querySelector('soai-offline')) view.scared = true;
      }).observe(body, { childList: true, subtree: true });
    });
    const before = stage.soai.requests('GET', '/api/v1/events').length;
    await stage.soai.stop();
    await stage.soai.start();
    await page.getByRole('button', { name: 'Health: Reconnecting' }).waitFor();
    await page.getByRole('button', { name: 'Health: Healthy' }).waitFor();
    expect(stage.soai.requests('GET', '/api/v1/events').length).toBe(before + 1);
    expect(await page.evaluate(() => (globalThis as unknown as Watched).scared)).toBe(false);
    await page.context().close();
  });

  test('“Try now” tries now', async () => {
    const { page } = await stage.visit('/');
    await page.getByRole('button', { name: 'Health: Healthy' }).waitFor();
    await stage.soai.stop();
    // The fourth wait is 6 to 8 s long: long enough that only the button explains a return within one.
    await page.getByText(/Next try in [678] s/).waitFor({ timeout: 30_000 });
    await stage.soai.start();
    const at = Date.now();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    expect(Date.now() - at).toBeLessThan(4_000);
    await page.context().close();
  });

  test('a session refused after the restart is a matter of signing in, not of the network', async () => {
    const { page } = await stage.visit('/tasks?state=failed');
    await page.getByRole('button', { name: 'Health: Healthy' }).waitFor();
    await stage.soai.stop();
    stage.soai.signedIn = false;
    await stage.soai.start();
    await page.getByText('Your session has ended.').waitFor({ timeout: 20_000 });
    expect(new URL(page.url()).searchParams.get('return')).toBe('/tasks?state=failed');
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    stage.soai.signedIn = true;
    await page.context().close();
  });

  test('a page opened while the server only half stands waits with it', async () => {
    stage.soai.overrides.set('GET /api/v1/session', (_seen, response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          error: { code: 'starting', message: 'The database is being checked.', hint: null, request_id: 'r' },
        }),
      );
    });
    const { page } = await stage.visit('/tasks');
    await page.getByRole('alertdialog').getByText('The database is being checked.').waitFor();
    stage.soai.overrides.clear();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });
});
