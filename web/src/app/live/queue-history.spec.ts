import { QueueHistory } from './queue-history';

const minute = 60_000;

test('keeps the last hour', () => {
  const history = new QueueHistory();
  for (let at = 0; at <= 90 * minute; at += minute) history.add({ waiting: at / minute, running: 0 }, at);
  expect(history.samples()[0]?.at).toBe(31 * minute);
  expect(history.samples().at(-1)?.waiting).toBe(90);
});

test('keeps the peak of ten seconds, so that a short burst is seen', () => {
  const history = new QueueHistory();
  history.add({ waiting: 1, running: 1 }, 20_000);
  history.add({ waiting: 9, running: 2 }, 21_000);
  history.add({ waiting: 0, running: 0 }, 22_000);
  expect(history.samples()).toEqual([{ at: 20_000, waiting: 9, running: 2 }]);
});

test('a thousand events a second stay bounded', () => {
  const history = new QueueHistory();
  for (let at = 0; at < 10 * minute; at += 100) history.add({ waiting: 1, running: 1 }, at);
  expect(history.samples()).toHaveLength(60);
});
