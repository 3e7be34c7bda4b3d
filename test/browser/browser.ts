import { existsSync } from 'node:fs';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { MockSoai } from './mock-soai';

const executablePath = '/usr/bin/chromium';
const built = path.join(__dirname, '../../dist/web/browser/index.html');

/** `describe` for tests that need a browser; says why when there is none. */
export const describeInBrowser: jest.Describe = existsSync(executablePath)
  ? describe
  : (((name: string, tests: () => void) => {
      describe.skip(`${name} (skipped: ${executablePath} is not installed)`, tests);
    }) as jest.Describe);

/** What a page did that it must not: script errors, refused by policy, dialogs. */
export interface Trouble {
  errors: string[];
  dialogs: string[];
  foreignRequests: string[];
}

/** One browser and one mock server a spec file; a fresh context and page a test. */
export class Stage {
  readonly soai = new MockSoai();
  private browser: Browser | null = null;

  async open(): Promise<void> {
    if (!existsSync(built)) throw new Error('The WebUI is not built: run `ng build` in web/ first.');
    await this.soai.start();
    this.browser = await chromium.launch({
      executablePath,
      headless: true,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  }

  async close(): Promise<void> {
    await this.browser?.close();
    await this.soai.stop();
  }

  async page(options: BrowserContextOptions = {}): Promise<{ page: Page; trouble: Trouble }> {
    if (!this.browser) throw new Error('The stage is not open.');
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const trouble: Trouble = { errors: [], dialogs: [], foreignRequests: [] };
    page.on('pageerror', (error) => trouble.errors.push(error.message));
    page.on('console', (message) => {
      // The browser itself logs every failed request; tests of failures cause those on purpose.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        trouble.errors.push(message.text());
    });
    page.on('dialog', (dialog) => {
      trouble.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(this.soai.url)) trouble.foreignRequests.push(request.url());
    });
    return { page, trouble };
  }

  async visit(at: string, options: BrowserContextOptions = {}): Promise<{ page: Page; trouble: Trouble }> {
    const opened = await this.page(options);
    await opened.page.goto(this.soai.url + at);
    return opened;
  }
}
