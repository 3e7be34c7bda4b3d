import { FrameBatch } from './frame-batch';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a hundred tokens within a frame are one render', () => {
  const flushed = jest.fn();
  const batch = new FrameBatch(flushed);
  for (let token = 0; token < 100; token += 1) batch.request();
  expect(flushed).not.toHaveBeenCalled();
  jest.advanceTimersToNextFrame();
  expect(flushed).toHaveBeenCalledTimes(1);
  batch.request();
  jest.advanceTimersToNextFrame();
  expect(flushed).toHaveBeenCalledTimes(2);
});

test('a hidden page, which gets no frames, is still brought up to date', () => {
  jest.spyOn(window, 'requestAnimationFrame').mockReturnValue(1);
  const flushed = jest.fn();
  new FrameBatch(flushed).request();
  jest.advanceTimersByTime(500);
  expect(flushed).toHaveBeenCalledTimes(1);
  jest.restoreAllMocks();
});

test('the end flushes at once and nothing follows', () => {
  const flushed = jest.fn();
  const batch = new FrameBatch(flushed);
  batch.request();
  batch.flush();
  jest.advanceTimersByTime(1_000);
  expect(flushed).toHaveBeenCalledTimes(1);
});
