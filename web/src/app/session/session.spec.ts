import { TestBed } from '@angular/core/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer } from '../../testing/fake-server';
import { HttpTransport } from '../api/http-transport';
import { Session } from './session';
import { returnTo, safeReturn } from './session.guard';

describe('Session', () => {
  let server: FakeServer;
  let session: Session;

  beforeEach(() => {
    server = new FakeServer();
    server.install();
    session = TestBed.inject(Session);
  });

  test('401 means signed out', async () => {
    server.problem('GET /api/v1/session', 401, 'not_signed_in');
    await session.load();
    expect(session.state()).toEqual({ kind: 'out', expired: false });
  });

  test('an unreachable server says nothing about the session', async () => {
    server.json('GET /api/v1/session', fixtures.session());
    await session.load();
    server.down();
    await expect(session.load()).rejects.toMatchObject({ code: 'unreachable' });
    expect(session.state().kind).toBe('in');
  });

  test('S29: the token follows the session', async () => {
    server
      .json('POST /api/v1/session', fixtures.session({ csrf: 'fresh' }))
      .on('DELETE /api/v1/session', () => new Response(null, { status: 204 }));
    await session.signIn({ account: 'admin', password: 'correct horse battery' });
    expect(TestBed.inject(HttpTransport).csrf).toBe('fresh');
    await session.signOut();
    expect(TestBed.inject(HttpTransport).csrf).toBeNull();
    expect(session.state()).toEqual({ kind: 'out', expired: false });
  });

  test('a refusal of any call ends a session that was in, and a wrong password does not', async () => {
    server.problem('POST /api/v1/session', 401, 'bad_credentials').problem('GET /api/v1/tasks', 401, 'not_signed_in');
    await expect(session.signIn({ account: 'admin', password: 'wrong' })).rejects.toMatchObject({
      code: 'bad_credentials',
    });
    expect(session.state().kind).toBe('unknown');
    server.json('GET /api/v1/session', fixtures.session());
    await session.load();
    await expect(TestBed.inject(HttpTransport).json('/api/v1/tasks')).rejects.toThrow();
    expect(session.state()).toEqual({ kind: 'out', expired: true });
  });
});

test.each([
  ['/tasks?state=failed', '/tasks?state=failed'],
  ['//evil.test/x', '/'],
  ['/\\evil.test', '/'],
  ['https://evil.test', '/'],
  ['javascript:alert(1)', '/'],
  ['', '/'],
  [undefined, '/'],
])('after signing in, %j leads to %j: never to another site', (asked, goes) => {
  expect(safeReturn(asked)).toBe(goes);
});

test('the front page and the sign-in page itself need no way back', () => {
  expect(returnTo('/')).toEqual({});
  expect(returnTo('/sign-in?return=%2Ftasks')).toEqual({});
  expect(returnTo('/tasks')).toEqual({ return: '/tasks' });
});
