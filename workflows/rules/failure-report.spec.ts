import fc from 'fast-check';
import { reportFailure } from './failure-report';
import type { FailureFacts } from './vocabulary';

const status = (code: number): FailureFacts => ({ kind: 'status', status: code });

test.each([400, 404, 405, 409, 413, 415, 422])('T30: a %i reaches the client as the same status', (code) => {
  expect(reportFailure(status(code), false)).toEqual({ code: 'upstream_rejected', passStatus: code });
});

test('D12: a 429 whose budget is spent stays a 429', () => {
  expect(reportFailure(status(429), false)).toEqual({ code: 'rate_limit_exceeded', passStatus: 429 });
});

test.each([
  [status(401), 'upstream_authentication_failed'],
  [status(403), 'upstream_authentication_failed'],
  [status(402), 'bad_upstream_response'],
  [status(407), 'bad_upstream_response'],
  [status(408), 'upstream_timeout'],
  [status(500), 'bad_upstream_response'],
  [status(304), 'bad_upstream_response'],
  [{ kind: 'status' }, 'bad_upstream_response'],
  [{ kind: 'transport' }, 'upstream_unavailable'],
  [{ kind: 'malformed' }, 'bad_upstream_response'],
  [{ kind: 'configuration' }, 'bad_upstream_response'],
  [{ kind: 'timeout' }, 'upstream_timeout'],
  [{ kind: 'oversized' }, 'stream_event_too_large'],
  [{ kind: 'aborted' }, 'cancelled'],
] as const)('B3, K: %j before anything was given is %s', (failure, code) => {
  expect(reportFailure(failure, false)).toEqual({ code });
});

test.each([
  [status(500), 'upstream_stream_interrupted'],
  [status(429), 'upstream_stream_interrupted'],
  [{ kind: 'transport' }, 'upstream_stream_interrupted'],
  [{ kind: 'malformed' }, 'upstream_stream_interrupted'],
  [{ kind: 'timeout' }, 'upstream_timeout'],
  [{ kind: 'oversized' }, 'stream_event_too_large'],
] as const)('T13: %j in the middle of a stream is %s, with no status to pass', (failure, code) => {
  expect(reportFailure(failure, true)).toEqual({ code });
});

test("B3, D13: no upstream status makes the client's own credentials look wrong", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), fc.boolean(), (code, given) => {
      expect([401, 402, 403, 407]).not.toContain(reportFailure(status(code), given).passStatus);
    }),
  );
});
