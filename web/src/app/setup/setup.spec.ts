import { Location } from '@angular/common';
import { TestBed } from '@angular/core/testing';
import { provideRouter } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { settled } from '../../testing/settle';
import { Session } from '../session/session';
import { Setup } from './setup';

describe('Setup', () => {
  let server: FakeServer;
  let harness: RouterTestingHarness;

  beforeEach(async () => {
    TestBed.configureTestingModule({
      providers: [
        provideRouter([
          { path: 'setup', component: Setup },
          { path: '', children: [] },
        ]),
      ],
    });
    server = new FakeServer();
    server.install();
    harness = await RouterTestingHarness.create();
  });

  async function type(password: string): Promise<HTMLElement> {
    const page = await settled(harness.fixture);
    const field = page.querySelector<HTMLInputElement>('#password');
    if (!field) throw new Error('No password field');
    field.value = password;
    field.dispatchEvent(new Event('input'));
    return settled(harness.fixture);
  }

  const submit = (page: HTMLElement): boolean | undefined =>
    page.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }));

  test('S46: the token leaves the address at once', async () => {
    await harness.navigateByUrl('/setup?token=secret-token');
    expect(TestBed.inject(Location).path()).toBe('/setup');
  });

  test('a password below twelve characters can’t be sent, and the page counts', async () => {
    await harness.navigateByUrl('/setup?token=secret-token');
    const page = await type('elevenchars');
    expect(page.textContent).toContain('1 more to go');
    expect(page.querySelector<HTMLButtonElement>('button[type=submit]')?.disabled).toBe(true);
    submit(page);
    expect(server.calls).toEqual([]);
  });

  test('sends token and password once and is signed in', async () => {
    server.json('POST /api/v1/session', fixtures.session());
    await harness.navigateByUrl('/setup?token=secret-token');
    submit(await type('correct horse battery'));
    await settled(harness.fixture);
    expect(server.calls[0]?.body).toEqual({ setup_token: 'secret-token', password: 'correct horse battery' });
    expect(TestBed.inject(Session).account()?.name).toBe('admin');
    expect(TestBed.inject(Location).path()).toBe('');
  });

  test('a used or wrong link is told with its reason', async () => {
    server.problem('POST /api/v1/session', 401, 'setup_token_invalid', 'This link was used already.');
    await harness.navigateByUrl('/setup?token=old');
    submit(await type('correct horse battery'));
    expect((await settled(harness.fixture)).querySelector('[role=alert]')?.textContent).toContain(
      'This link was used already.',
    );
  });

  test('without a token it says where the link is', async () => {
    const page = (await harness.navigateByUrl('/setup'), await settled(harness.fixture));
    expect(page.textContent).toContain('printed when it started');
    expect(page.querySelector('form')).toBeNull();
  });
});
