import type { Page } from 'playwright-core';
import { findings, loadAxe } from './accessibility';
import { describeInBrowser, Stage } from './browser';
import { Completion } from './completion';
import * as fixtures from './fixtures';

jest.setTimeout(90_000);

const markdown =
  '# Title\n\nText with `code` and a [link](https://example.org).\n\n- one\n- two\n\n> quote\n\n```ts\nlet a = 1;\n```\n\n|a|b|\n|-|-|\n|1|2|';

/** Every state a page of the app can be in; each brings the page there from a fresh load. */
const states: Record<string, (stage: Stage, page: Page) => Promise<void>> = {
  'dashboard, empty': async ({ soai }, page) => {
    soai.tasks = [];
    soai.plugins = [];
    await page.goto(soai.url);
    await page.getByText('No tasks yet').waitFor();
  },
  'dashboard, full and degraded': async ({ soai }, page) => {
    fill(soai);
    await page.goto(soai.url);
    await page.locator('soai-task-table').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
  },
  'health reasons open': async ({ soai }, page) => {
    await page.goto(soai.url);
    await page.getByRole('button', { name: /^Health/ }).click();
  },
  'settings open': async ({ soai }, page) => {
    await page.goto(soai.url);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  },
  tasks: async ({ soai }, page) => {
    await page.goto(`${soai.url}/tasks`);
    await page.locator('soai-task-table').waitFor();
  },
  'tasks, none match': async ({ soai }, page) => {
    await page.goto(`${soai.url}/tasks?state=deferred&model=nothing`);
    await page.getByText('No task matches').waitFor();
  },
  task: async ({ soai }, page) => {
    await page.goto(`${soai.url}/tasks/task-failed`);
    await page.locator('soai-task-timeline').waitFor();
  },
  'task, response': async ({ soai }, page) => {
    soai.responses.set('task-failed', { choices: [{ message: { content: markdown } }] });
    await page.goto(`${soai.url}/tasks/task-failed?view=response`);
    await page.locator('soai-markdown').waitFor();
  },
  'task, cancel dialog': async ({ soai }, page) => {
    await page.goto(`${soai.url}/tasks/task-running`);
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByRole('dialog').waitFor();
  },
  'chat, new, with options and models open': async ({ soai }, page) => {
    await page.goto(`${soai.url}/chat`);
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option').first().waitFor();
  },
  'chat, answered and failed': async ({ soai }, page) => {
    soai.chat = (_seen, response) => new Completion(response).text(markdown).finish();
    await page.goto(`${soai.url}/chat`);
    await page.getByLabel('Message').fill('Question');
    await page.keyboard.press('Enter');
    await page.getByText('7 tokens').waitFor();
    soai.chat = (_seen, response) =>
      new Completion(response).text('Half').fail('upstream_timeout', 'It took too long.');
    await page.getByLabel('Message').fill('Another');
    await page.keyboard.press('Enter');
    await page.locator('soai-problem').getByText('It took too long.').waitFor();
  },
  'chat, waiting': async ({ soai }, page) => {
    soai.chat = (_seen, response) => void new Completion(response, { 'x-soai-queue-position': '3' });
    await page.goto(`${soai.url}/chat`);
    await page.getByLabel('Message').fill('Wait');
    await page.keyboard.press('Enter');
    await page.getByText('3 requests before this one').waitFor();
  },
  'not found': async ({ soai }, page) => {
    await page.goto(`${soai.url}/nope`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  },
  'set up': async ({ soai }, page) => {
    await page.goto(`${soai.url}/setup?token=x`);
    await page.getByLabel('New password').fill('short');
  },
  'sign in, refused': async ({ soai }, page) => {
    soai.overrides.set('POST /api/v1/session', (_seen, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          error: { code: 'bad_credentials', message: 'Wrong.', hint: 'Look again.', request_id: 'r1' },
        }),
      );
    });
    await page.goto(`${soai.url}/sign-in`);
    await page.getByLabel('Account').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
  },
  offline: async ({ soai }, page) => {
    await page.goto(soai.url);
    await page.locator('soai-task-table').waitFor();
    await soai.stop();
    await page.getByRole('alertdialog').waitFor();
  },
};

function fill(soai: Stage['soai']): void {
  const circuit = {
    state: 'open' as const,
    failure_count: 3,
    last_failure_at: Date.now() - 9_000,
    retry_at: Date.now() + 99_000,
  };
  soai.health = fixtures.health({
    status: 'degraded',
    reasons: [{ code: 'circuit_open', message: 'A circuit is open.' }],
  });
  soai.queue = fixtures.queue({ waiting: 3, running: 2, deferred: 1, oldest_wait_ms: 4_000 });
  soai.plugins = [
    fixtures.plugin(),
    fixtures.plugin({
      id: 'up1',
      enabled: false,
      circuit,
      worker: { state: 'busy', reason: null },
      quarantine: { state: 'quarantined', reason: 'Gave up.', since: 1 },
    }),
  ];
  soai.tasks = [
    fixtures.task({ id: 'task-running', state: 'running', finished_at: null }),
    fixtures.task({
      id: 'task-failed',
      state: 'failed',
      reason: 'upstream_timeout',
      message: 'No first byte within 180 s.',
    }),
    ...(['queued', 'deferred', 'completed', 'cancelled'] as const).map((state) =>
      fixtures.task({ state, queue_position: 1 }),
    ),
  ];
}

const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 360 },
] as const;

/** A change of the looks reaches the whole page within some frames, more of them on a busy machine. */
const SETTLE_TRIES = 20;

async function settledFindings(page: Page): ReturnType<typeof findings> {
  let found = await findings(page);
  for (let tries = 1; found.length > 0 && tries < SETTLE_TRIES; tries++) {
    await page.evaluate<void>(`new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))`);
    found = await findings(page);
  }
  return found;
}

describeInBrowser('accessibility', () => {
  const stage = new Stage();
  let page: Page;

  beforeAll(async () => {
    await stage.open();
    ({ page } = await stage.page({ reducedMotion: 'reduce' }));
  });
  afterAll(() => stage.close());

  beforeEach(async () => {
    fill(stage.soai);
    stage.soai.overrides.clear();
    await stage.soai.start();
  });

  test.each(Object.keys(states))('axe finds nothing, light or dark, on a desk or a phone: %s', async (name) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await states[name]?.(stage, page);
    await loadAxe(page);
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect({ colorScheme, width, found: await settledFindings(page) }).toEqual({ colorScheme, width, found: [] });
    }
  });
});
