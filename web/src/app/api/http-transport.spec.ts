import { TestBed } from '@angular/core/testing';
import { FakeServer } from '../../testing/fake-server';
import { isAbort } from './api-problem';
import { HttpTransport } from './http-transport';

describe('HttpTransport', () => {
  let server: FakeServer;
  let http: HttpTransport;

  beforeEach(() => {
    server = new FakeServer();
    server.install();
    http = TestBed.inject(HttpTransport);
  });

  test('S29: changing requests carry the session’s token, reads do not', async () => {
    server.json('GET /a', {}).json('POST /a', {}).json('DELETE /a', {});
    http.csrf = 'token-1';
    await http.json('/a');
    await http.json('/a', { method: 'POST', body: {} });
    await http.json('/a', { method: 'DELETE' });
    expect(server.calls.map((call) => call.headers['x-soai-csrf'])).toEqual([undefined, 'token-1', 'token-1']);
  });

  test('announces a refused session', async () => {
    server.problem('GET /a', 401, 'not_signed_in');
    const heard = jest.fn();
    http.unauthorized.subscribe(heard);
    await expect(http.json('/a')).rejects.toMatchObject({ status: 401 });
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test('an answer without content is no error', async () => {
    server.on('DELETE /a', () => new Response(null, { status: 204 }));
    await expect(http.json('/a', { method: 'DELETE' })).resolves.toBeUndefined();
  });

  test('the caller’s abort stays an abort, silence becomes a timeout', async () => {
    jest.useFakeTimers();
    try {
      server.on('GET /slow', () => new Promise(() => undefined));
      const leaving = new AbortController();
      const left = http.json('/slow', { signal: leaving.signal }).catch((error: unknown) => error);
      leaving.abort();
      expect(isAbort(await left)).toBe(true);

      const late = http.json('/slow', { headersWithinMs: 1_000 }).catch((error: unknown) => error);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await late).toMatchObject({ code: 'timeout' });
    } finally {
      jest.useRealTimers();
    }
  });
});
