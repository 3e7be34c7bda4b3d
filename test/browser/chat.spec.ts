import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { describeInBrowser, Stage } from './browser';
import { Completion } from './completion';
import * as fixtures from './fixtures';
import { sendJson } from './mock-soai';

jest.setTimeout(60_000);

/** Holds the answers open until a test goes on with them. */
function open(
  stage: Stage,
  headers: Record<string, string> = {},
): Promise<{ completion: Completion; response: ServerResponse }> {
  return new Promise((resolve) => {
    stage.soai.chat = (_seen, response) => resolve({ completion: new Completion(response, headers), response });
  });
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Message').fill(question);
  await page.keyboard.press('Enter');
}

/** The message field comes to hold this: a click is answered in the next render. */
async function holds(page: Page, text: string, withinMs = 10_000): Promise<void> {
  const field = page.getByLabel('Message');
  for (const until = Date.now() + withinMs; (await field.inputValue()) !== text; await page.waitForTimeout(20)) {
    if (Date.now() > until) expect(await field.inputValue()).toBe(text);
  }
}

describeInBrowser('chat', () => {
  const stage = new Stage();
  beforeAll(() => stage.open());
  afterAll(() => stage.close());
  beforeEach(() => {
    stage.soai.models = ['smollm2', 'team'];
    stage.soai.seen.length = 0;
  });

  test('streams token by token, then tells who served it, with a link to the task', async () => {
    const { page, trouble } = await stage.visit('/chat');
    const answered = open(stage, { 'x-soai-task-id': 'task-1', 'x-soai-served-by': 'smollm2@local' });
    await ask(page, 'Say hello');
    const { completion } = await answered;
    await page.getByText('Waiting for smollm2').waitFor();
    stage.soai.send({ type: 'queue', queue: fixtures.queue({ waiting: 4 }) });
    await page.getByText('Waiting for smollm2, 4 in the queue').waitFor();
    completion.text('Hel');
    await page.getByText('Hel', { exact: true }).waitFor();
    completion.text('lo **you**').finish();
    await page.locator('soai-markdown strong', { hasText: 'you' }).waitFor();
    await page.getByText('smollm2@local').waitFor();
    expect(await page.locator('soai-answer').getByRole('link', { name: 'Task' }).getAttribute('href')).toBe(
      '/tasks/task-1',
    );
    expect(JSON.parse(stage.soai.requests('POST', '/v1/chat/completions')[0]?.body ?? '')).toMatchObject({
      model: 'smollm2',
      messages: [{ role: 'user', content: 'Say hello' }],
      stream: true,
    });
    expect(trouble).toEqual({ errors: [], dialogs: [], foreignRequests: [] });

    // The conversation is kept, has an address of its own, and goes on.
    await page.reload();
    await page.locator('soai-markdown strong', { hasText: 'you' }).waitFor();
    const again = open(stage);
    await ask(page, 'And again');
    (await again).completion.text('Hello once more').finish();
    await page.getByText('Hello once more').waitFor();
    expect(JSON.parse(stage.soai.requests('POST', '/v1/chat/completions')[1]?.body ?? '')).toMatchObject({
      messages: [{ content: 'Say hello' }, { role: 'assistant', content: 'Hello **you**' }, { content: 'And again' }],
    });
    await page.context().close();
  });

  test('A10: stop closes the connection at once and keeps what came', async () => {
    const { page } = await stage.visit('/chat');
    const answered = open(stage);
    await ask(page, 'Go on for ever');
    const { completion, response } = await answered;
    const closed = new Promise((resolve) => response.on('close', resolve));
    completion.text('Once upon a time');
    await page.getByText('Once upon a time').waitFor();
    await page.getByRole('button', { name: 'Stop the answer' }).click();
    await closed;
    await page.getByText('You stopped this answer.').waitFor();
    await page.getByText('Once upon a time').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.context().close();
  });

  test('T13: a failure in the middle keeps the text, tells the true reason and can be tried again', async () => {
    const { page } = await stage.visit('/chat');
    const answered = open(stage, { 'x-soai-task-id': 'task-9' });
    await ask(page, 'Half');
    (await answered).completion
      .text('Half an ans')
      .fail('upstream_stream_interrupted', 'The backend closed the connection.');
    const notice = page.locator('soai-problem');
    await notice.getByText('The backend closed the connection.').waitFor();
    await notice.getByText('req-chat').waitFor();
    await notice.getByRole('button', { name: 'Copy request id' }).waitFor();
    expect(await notice.getByRole('link', { name: 'Open the task' }).getAttribute('href')).toBe('/tasks/task-9');
    await page.getByText('Half an ans').waitFor();

    const again = open(stage);
    await page.getByRole('button', { name: 'Try again' }).click();
    (await again).completion.text('A whole answer').finish();
    await page.getByText('A whole answer').waitFor();
    await page.getByRole('button', { name: 'Earlier answer' }).click();
    await page.getByText('Half an ans').waitFor();
    await page.context().close();
  });

  test('a refusal shows the server’s sentence', async () => {
    const { page } = await stage.visit('/chat');
    const error = {
      message: 'The queue is full. Try again in 5 s.',
      type: 'server_error',
      param: null,
      code: 'queue_full',
    };
    stage.soai.chat = (_seen, response) => sendJson(response, { error }, 503, { 'retry-after': '5' });
    await ask(page, 'Anything');
    await page.locator('soai-problem').getByText('The queue is full. Try again in 5 s.').waitFor();
    await page.getByText('queue_full').waitFor();
    await page.context().close();
  });

  test('the place in the queue is told while waiting, and moves', async () => {
    stage.soai.tasks = [fixtures.task({ id: 'task-q', state: 'queued', queue_position: 1 })];
    const { page } = await stage.visit('/chat');
    const answered = open(stage, { 'x-soai-task-id': 'task-q', 'x-soai-queue-position': '2' });
    await ask(page, 'Wait');
    const { completion } = await answered;
    await page.getByText('2 requests before this one').waitFor();
    await page.getByText('1 request before this one').waitFor();
    completion.text('At last').finish();
    await page.getByText('At last').waitFor();
    await page.getByText('before this one').waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('an answer goes on while another page is open', async () => {
    const { page } = await stage.visit('/chat');
    const answered = open(stage);
    await ask(page, 'Slow one');
    const { completion } = await answered;
    completion.text('First half, ');
    await page.getByText('First half,').waitFor();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    completion.text('second half.').finish();
    await page.goBack();
    await page.getByText('First half, second half.').waitFor();
    await page.context().close();
  });

  test('follows the text at the end only while the reader is there', async () => {
    const { page } = await stage.visit('/chat', { viewport: { width: 1280, height: 500 } });
    const answered = open(stage);
    await ask(page, 'Something long');
    const { completion } = await answered;
    const paragraphs = (from: number): string =>
      Array.from({ length: 20 }, (_, index) => `Paragraph ${from + index}.\n\n`).join('');
    completion.text(paragraphs(0));
    const atEnd = (): Promise<boolean> =>
      page.locator('.scroll').evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2);
    await page.getByText('Paragraph 19.').waitFor();
    const scroller = await page.locator('.scroll').elementHandle();
    await page.waitForFunction(
      (box) => box !== null && box.scrollTop > 0 && box.scrollHeight - box.scrollTop - box.clientHeight < 2,
      scroller,
    );
    await page.locator('.scroll').evaluate((box) => box.scrollTo(0, 40));
    await page.getByRole('button', { name: 'To the latest' }).waitFor();
    completion.text(paragraphs(20));
    await page.getByText('Paragraph 39.').waitFor({ state: 'attached' });
    expect(await page.locator('.scroll').evaluate((box) => box.scrollTop)).toBe(40);
    await page.getByRole('button', { name: 'To the latest' }).click();
    expect(await atEnd()).toBe(true);
    completion.finish();
    await page.context().close();
  });

  test('system prompt, temperature and longest answer are sent; the last question can be edited', async () => {
    const { page } = await stage.visit('/chat');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature').fill('0.2');
    await page.getByLabel('Longest answer').fill('64');
    const picker = page.getByRole('combobox', { name: 'Model' });
    await picker.fill('tea');
    await page.getByRole('option', { name: 'team' }).waitFor();
    await picker.press('Enter');
    stage.soai.chat = (_seen, response) => new Completion(response).text('Fine.').finish();
    await ask(page, 'Tpyo');
    await page.getByText('Fine.').waitFor();
    await page.getByRole('button', { name: 'Edit question' }).click();
    await holds(page, 'Tpyo');
    await ask(page, 'Typo');
    await page.getByText('Fine.').waitFor();
    const [, second] = stage.soai.requests('POST', '/v1/chat/completions');
    expect(JSON.parse(second?.body ?? '')).toMatchObject({
      model: 'team',
      temperature: 0.2,
      max_tokens: 64,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Typo' },
      ],
    });
    await page.context().close();
  });

  test('without a model it says how to add one, and nothing can be sent', async () => {
    stage.soai.models = [];
    const { page } = await stage.visit('/chat');
    await page.getByText('No models yet').waitFor();
    await page.getByLabel('Message').fill('Anyone?');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.context().close();
  });
});
