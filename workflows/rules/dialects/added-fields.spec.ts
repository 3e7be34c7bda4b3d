import { withoutRejectedFields } from './added-fields';

const body = { model: 'm', stream_options: { include_usage: true } };
const added = ['stream_options'];

test.each([400, 422])('K: a field that the gateway added and a %i names is left out', (status) => {
  const refusal = 'Unrecognized request argument: stream_options';
  expect(withoutRejectedFields(body, added, { kind: 'status', status }, refusal)).toEqual({ model: 'm' });
});

test.each([
  ['another status', { kind: 'status', status: 500 }, 'stream_options', body],
  ['no status', { kind: 'timeout' }, 'stream_options', body],
  ['another field', { kind: 'status', status: 400 }, 'model', body],
  ['a field that is not there', { kind: 'status', status: 400 }, 'stream_options', { model: 'm' }],
] as const)('K: %s changes nothing', (_what, failure, refusal, sent) => {
  expect(withoutRejectedFields(sent, added, failure, refusal)).toBeNull();
});
