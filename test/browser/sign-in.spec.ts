import { describeInBrowser, Stage } from './browser';
import * as fixtures from './fixtures';
import { sendJson, sendProblem } from './mock-soai';

jest.setTimeout(60_000);

describeInBrowser('signing in', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());

  beforeEach(() => {
    stage.soai.signedIn = false;
    stage.soai.overrides.clear();
    stage.soai.seen.length = 0;
  });

  test('S46: the setup link chooses a password; its token is out of the address and the history at once', async () => {
    const { page, trouble } = await stage.visit('/setup?token=secret-token');
    await page.getByLabel('New password').waitFor();
    expect(page.url()).toBe(`${stage.soai.url}/setup`);
    await page.getByLabel('New password').fill('elevenchars');
    await page.getByText('1 more to go').waitFor();
    expect(await page.getByRole('button', { name: 'Set the password and sign in' }).isDisabled()).toBe(true);
    await page.getByLabel('New password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(await page.title()).toBe('Dashboard · SoAI');
    const [sent] = stage.soai.requests('POST', '/api/v1/session');
    expect(JSON.parse(sent?.body ?? '')).toEqual({ setup_token: 'secret-token', password: 'correct horse battery' });
    await page.goBack();
    expect(page.url()).not.toContain('secret-token');
    expect(stage.soai.seen.filter(({ headers }) => headers.referer?.includes('secret-token'))).toEqual([]);
    expect(trouble).toEqual({ errors: [], dialogs: [], foreignRequests: [] });
    await page.context().close();
  });

  test('a page asked for without a session comes after signing in', async () => {
    const { page } = await stage.visit('/tasks?state=failed');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    stage.soai.overrides.set('POST /api/v1/session', (_seen, response) =>
      sendProblem(response, 401, 'bad_credentials', 'Account or password are wrong.'),
    );
    await page.getByLabel('Account').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Account or password are wrong.').waitFor();
    stage.soai.overrides.clear();
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    expect(page.url()).toBe(`${stage.soai.url}/tasks?state=failed`);
    await page.context().close();
  });

  test('signing out ends the session on the server, with the token that proves the page asked', async () => {
    stage.soai.signedIn = true;
    const { page } = await stage.visit('/');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(stage.soai.requests('DELETE', '/api/v1/session')[0]?.headers['x-soai-csrf']).toBe('csrf-token-1');
    await page.context().close();
  });

  test('a session that ends while the page is open leads back to the same place, with the draft', async () => {
    stage.soai.signedIn = true;
    const { page } = await stage.visit('/chat');
    await page.getByLabel('Message').fill('Not sent yet');
    stage.soai.overrides.set('GET /v1/models', (_seen, response) =>
      sendProblem(response, 401, 'not_signed_in', 'Sign in first.'),
    );
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByText('Your session has ended.').waitFor();
    stage.soai.overrides.clear();
    await page.getByLabel('Account').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    expect(await page.getByLabel('Message').inputValue()).toBe('Not sent yet');
    await page.context().close();
  });

  test('another account sees nothing of the one before', async () => {
    stage.soai.signedIn = true;
    const { page } = await stage.visit('/chat');
    await page.getByLabel('Message').fill('A private draft');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    stage.soai.overrides.set('POST /api/v1/session', (_seen, response) => {
      stage.soai.signedIn = true;
      stage.soai.session = fixtures.session({ account: { id: 'acc-2', name: 'second', role: 'standard' } });
      sendJson(response, stage.soai.session);
    });
    await page.getByLabel('Account').fill('second');
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    expect(await page.getByLabel('Message').inputValue()).toBe('');
    stage.soai.session = fixtures.session();
    await page.context().close();
  });
});
