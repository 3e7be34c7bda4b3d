import { TestBed } from '@angular/core/testing';
import * as fixtures from '../../../../test/browser/fixtures';
import { FakeServer, FeedableBody } from '../../testing/fake-server';
import { Session } from '../session/session';
import { Connection } from './connection';
import { LiveState } from './live-state';

describe('Connection', () => {
  let server: FakeServer;
  let bodies: FeedableBody[];
  let connection: Connection;

  function up(): void {
    server
      .json('GET /api/v1/session', fixtures.session())
      .json('GET /api/v1/system/health', fixtures.health())
      .json('GET /api/v1/queue', fixtures.queue())
      .json('GET /api/v1/plugins', { data: [], next_cursor: null })
      .json('GET /api/v1/tasks', { data: [], next_cursor: null })
      .json('GET /api/v1/system/info', fixtures.systemInfo())
      .on('GET /api/v1/events', () => {
        const body = new FeedableBody();
        bodies.push(body);
        return body.response();
      });
  }

  const tick = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(Math, 'random').mockReturnValue(1);
    server = new FakeServer();
    server.install();
    bodies = [];
    connection = TestBed.inject(Connection);
  });

  afterEach(() => {
    connection.stop();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  test('goes live, knows who is signed in and applies what is sent', async () => {
    up();
    connection.start();
    await tick(0);
    expect(connection.status().kind).toBe('live');
    expect(TestBed.inject(Session).account()?.name).toBe('admin');
    bodies[0]?.event({ type: 'queue', queue: fixtures.queue({ waiting: 7 }) });
    await tick(0);
    expect(TestBed.inject(LiveState).queue.value()?.waiting).toBe(7);
  });

  test('H: waits 1, 2, 4, 8, 16, 30, 30 s between tries and is back at once when the server is', async () => {
    connection.start();
    await tick(0);
    for (const [tries, wait] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      expect(server.count('GET /api/v1/session')).toBe(tries + 1);
      await tick(wait - 1);
      expect(server.count('GET /api/v1/session')).toBe(tries + 1);
      await tick(1);
    }
    up();
    await tick(30_000);
    expect(connection.status().kind).toBe('live');
    expect(connection.outage()).toBe(false);
  });

  test('a loss shorter than the grace shows no notice', async () => {
    up();
    connection.start();
    await tick(10_000);
    bodies[0]?.break();
    await tick(900);
    expect(connection.status().kind).toBe('lost');
    expect(connection.outage()).toBe(false);
    await tick(2_000);
    expect(connection.status().kind).toBe('live');
    expect(connection.outage()).toBe(false);
  });

  test('a longer loss shows it after 2.5 s, with the time of the next try', async () => {
    up();
    connection.start();
    await tick(10_000);
    server.down();
    bodies[0]?.end();
    await tick(2_499);
    expect(connection.outage()).toBe(false);
    await tick(1);
    expect(connection.outage()).toBe(true);
    const status = connection.status();
    expect(status.kind === 'lost' && status.nextTryAt !== null && status.nextTryAt > Date.now()).toBe(true);
  });

  test('“Try now” does not wait for the countdown', async () => {
    connection.start();
    await tick(7_000);
    const before = server.count('GET /api/v1/session');
    up();
    connection.tryNow();
    await tick(0);
    expect(server.count('GET /api/v1/session')).toBe(before + 1);
    expect(connection.status().kind).toBe('live');
  });

  test('a connection that lived starts again at 1 s, one that was dropped at once goes on doubling', async () => {
    up();
    connection.start();
    await tick(0);
    bodies[0]?.end();
    await tick(1_000);
    bodies[1]?.end();
    await tick(1_999);
    expect(bodies).toHaveLength(2);
    await tick(1);
    expect(bodies).toHaveLength(3);
    await tick(60_000 - 1_000);
    bodies[2]?.end();
    await tick(1_000);
    expect(bodies).toHaveLength(4);
  });

  test('after a reconnect everything that may have been missed is fetched again', async () => {
    up();
    connection.start();
    await tick(0);
    const before = server.count('GET /api/v1/system/health');
    const resynced = jest.fn();
    TestBed.inject(LiveState).resynced.subscribe(resynced);
    bodies[0]?.end();
    await tick(1_000);
    expect(server.count('GET /api/v1/system/health')).toBe(before + 1);
    expect(resynced).toHaveBeenCalledTimes(1);
  });

  test('a refused session is no outage: it stops trying and asks to sign in', async () => {
    up();
    connection.start();
    await tick(10_000);
    server.problem('GET /api/v1/session', 401, 'not_signed_in');
    bodies[0]?.end();
    await tick(120_000);
    expect(connection.status().kind).toBe('idle');
    expect(connection.outage()).toBe(false);
    expect(TestBed.inject(Session).state()).toEqual({ kind: 'out', expired: true });
    expect(server.count('GET /api/v1/session')).toBe(2);
  });

  test('a server that answers with errors is waited out, and what it says is kept', async () => {
    up();
    server.problem('GET /api/v1/session', 503, 'database_busy', 'The database is being checked.');
    connection.start();
    await tick(3_000);
    const status = connection.status();
    expect(status.kind === 'lost' && status.problem.message).toBe('The database is being checked.');
    expect(connection.outage()).toBe(true);
  });

  test('a stream that falls silent is replaced', async () => {
    up();
    connection.start();
    await tick(60_000);
    await tick(1_000);
    expect(bodies).toHaveLength(2);
    expect(bodies[0]?.cancelled).toBe(true);
  });

  test('one event that is no JSON does not cost the connection', async () => {
    up();
    connection.start();
    await tick(0);
    bodies[0]?.feed('data: {broken\n\n');
    bodies[0]?.event({ type: 'queue', queue: fixtures.queue({ waiting: 2 }) });
    await tick(0);
    expect(connection.status().kind).toBe('live');
    expect(TestBed.inject(LiveState).queue.value()?.waiting).toBe(2);
  });
});
