import { Location } from '@angular/common';
import { TestBed } from '@angular/core/testing';
import { provideRouter, withComponentInputBinding } from '@angular/router';
import { RouterTestingHarness } from '@angular/router/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { settled } from '../../testing/settle';
import { SignInPage } from './sign-in';

describe('SignInPage', () => {
  let server: FakeServer;
  let harness: RouterTestingHarness;

  beforeEach(async () => {
    const routes = [
      { path: 'sign-in', component: SignInPage },
      { path: '**', children: [] },
    ];
    TestBed.configureTestingModule({ providers: [provideRouter(routes, withComponentInputBinding())] });
    server = new FakeServer();
    server.install();
    harness = await RouterTestingHarness.create();
  });

  async function signIn(url: string): Promise<HTMLElement> {
    await harness.navigateByUrl(url);
    const page = await settled(harness.fixture);
    for (const [id, value] of [
      ['#account', ' admin '],
      ['#password', ' correct horse '],
    ] as const) {
      const field = page.querySelector<HTMLInputElement>(id);
      if (!field) throw new Error(`No ${id}`);
      field.value = value;
      field.dispatchEvent(new Event('input'));
    }
    page.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }));
    return settled(harness.fixture);
  }

  test('goes back to where it was asked for; a password is sent as typed, a name without blanks around it', async () => {
    server.json('POST /api/v1/session', fixtures.session());
    await signIn('/sign-in?return=%2Ftasks%3Fstate%3Dfailed');
    expect(server.calls[0]?.body).toEqual({ account: 'admin', password: ' correct horse ' });
    expect(TestBed.inject(Location).path()).toBe('/tasks?state=failed');
  });

  test('never leaves for another site', async () => {
    server.json('POST /api/v1/session', fixtures.session());
    await signIn('/sign-in?return=%2F%2Fevil.test');
    expect(TestBed.inject(Location).path()).toBe('');
  });

  test('a refusal is shown and the form can be used again', async () => {
    server.problem('POST /api/v1/session', 401, 'bad_credentials', 'Account or password are wrong.');
    const page = await signIn('/sign-in');
    expect(page.querySelector('[role=alert]')?.textContent).toContain('Account or password are wrong.');
    expect(page.querySelector<HTMLButtonElement>('button[type=submit]')?.disabled).toBe(false);
  });

  test('a server that is away is told apart from a wrong password', async () => {
    expect((await signIn('/sign-in')).querySelector('[role=alert]')?.textContent).toContain('can’t be reached');
  });
});
