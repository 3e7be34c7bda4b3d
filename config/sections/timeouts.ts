import { seconds, section } from '../setting';

export const timeouts = section('How long one request and its parts may take.', {
  CONNECT_SEC: seconds(10, 'To an established connection to the backend.'),
  FIRST_BYTE_SEC: seconds(
    180,
    "From sending a request to the first byte of the answer's body; also the deadline of a breaker's probe.",
  ),
  STREAM_IDLE_SEC: seconds(120, 'Longest silence of a backend in the middle of a stream.'),
  REQUEST_SEC: seconds(
    285,
    'A whole request that is not streamed, its time in the queue included. Longer lets more queued requests finish; ' +
      'most clients give up at 300.',
  ),
  STREAM_SEC: seconds(3600, 'A whole streamed request, its time in the queue included.'),
  BACKGROUND_SEC: seconds(86_400, 'A whole background request, its time in the queue included.'),
});
