import { UpstreamFailure, type AdapterReply, type StreamEvent } from '../adapter';
import { CallChannel } from './call-channel';
import { replyOf } from './worker-call';

const LONG = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000 };
const id = 1;

function begin(deadlines = LONG): {
  channel: CallChannel;
  leave: jest.Mock;
  leaving: AbortController;
  reply: Promise<AdapterReply>;
} {
  const channel = new CallChannel();
  const leave = jest.fn();
  const leaving = new AbortController();
  return { channel, leave, leaving, reply: replyOf(channel, leave, deadlines, leaving.signal) };
}

function iteratorOf(reply: AdapterReply): AsyncIterator<StreamEvent> {
  if (reply.kind !== 'stream') throw new Error('expected a stream');
  return reply.events[Symbol.asyncIterator]();
}

test('a whole body is a JSON reply', async () => {
  const { channel, leave, reply } = begin();
  channel.push({ type: 'done', id, text: '{}' });
  expect(await reply).toEqual({ kind: 'json', text: '{}' });
  expect(leave).not.toHaveBeenCalled();
});

test('a failure before the first event rejects the call with its status and body', async () => {
  const { channel, leave, reply } = begin();
  const error = { message: 'm', type: 'invalid_request_error', param: 'p', code: 'c' };
  channel.push({ type: 'failed', id, failure: { kind: 'status', status: 400, error } });
  await expect(reply).rejects.toMatchObject({
    kind: 'status',
    details: { status: 400, body: JSON.stringify({ error }) },
  });
  expect(leave).not.toHaveBeenCalled();
});

test('events come in order and end with the call', async () => {
  const { channel, leave, reply } = begin();
  channel.push({ type: 'event', id, data: 'a' });
  const iterator = iteratorOf(await reply);
  channel.push({ type: 'event', id, data: 'b' });
  channel.push({ type: 'done', id, text: null });
  expect(await iterator.next()).toEqual({ done: false, value: { event: null, data: 'a' } });
  expect(await iterator.next()).toEqual({ done: false, value: { event: null, data: 'b' } });
  expect((await iterator.next()).done).toBe(true);
  expect((await iterator.next()).done).toBe(true);
  await iterator.return?.();
  expect(leave).not.toHaveBeenCalled();
});

test('T67: an abort leaves once, whenever it comes', async () => {
  const early = begin();
  early.leaving.abort();
  await expect(early.reply).rejects.toMatchObject({ kind: 'aborted' });
  expect(early.leave).toHaveBeenCalledTimes(1);

  const late = begin();
  late.channel.push({ type: 'event', id, data: 'a' });
  const iterator = iteratorOf(await late.reply);
  await iterator.next();
  const next = iterator.next();
  late.leaving.abort();
  await expect(next).rejects.toMatchObject({ kind: 'aborted' });
  await iterator.return?.();
  expect(late.leave).toHaveBeenCalledTimes(1);
});

test('return() before the first read leaves, and gives nothing any more', async () => {
  const { channel, leave, reply } = begin();
  channel.push({ type: 'event', id, data: 'a' });
  const iterator = iteratorOf(await reply);
  await iterator.return?.();
  expect((await iterator.next()).done).toBe(true);
  expect(leave).toHaveBeenCalledTimes(1);
});

test('a deadline that passes is a timeout and leaves', async () => {
  const first = begin({ ...LONG, firstByteMs: 10 });
  await expect(first.reply).rejects.toMatchObject({ kind: 'timeout' });
  expect(first.leave).toHaveBeenCalledTimes(1);

  const idle = begin({ ...LONG, idleMs: 10 });
  idle.channel.push({ type: 'event', id, data: 'a' });
  const iterator = iteratorOf(await idle.reply);
  await iterator.next();
  await expect(iterator.next()).rejects.toMatchObject({ kind: 'timeout' });
  expect(idle.leave).toHaveBeenCalledTimes(1);
});

test('C16: what came before the worker died is given, then its death', async () => {
  const { channel, reply } = begin();
  channel.push({ type: 'event', id, data: 'a' });
  channel.push({ type: 'event', id, data: 'b' });
  channel.fail(new UpstreamFailure('transport', 'gone'));
  const iterator = iteratorOf(await reply);
  await iterator.next();
  await iterator.next();
  await expect(iterator.next()).rejects.toMatchObject({ kind: 'transport' });
  expect((await iterator.next()).done).toBe(true);
});
