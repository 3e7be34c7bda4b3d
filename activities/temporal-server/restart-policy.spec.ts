import { RestartPolicy } from './restart-policy';

test('C6: delays double from 0.5 s to 30 s', () => {
  const policy = new RestartPolicy();
  expect(Array.from({ length: 9 }, () => policy.nextDelayMs())).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

test('C6: a long run starts the delays anew, a short one does not', () => {
  const policy = new RestartPolicy();
  policy.nextDelayMs();
  policy.ended(29_000);
  expect(policy.nextDelayMs()).toBe(1000);
  policy.ended(30_000);
  expect(policy.nextDelayMs()).toBe(500);
});

test('C6: the database is doubted once, after three starts in a row that never came up', () => {
  const policy = new RestartPolicy();
  const endsFruitless = (): boolean => {
    policy.ended(100);
    return policy.databaseIsSuspect;
  };
  policy.cameUp();
  expect(Array.from({ length: 6 }, endsFruitless)).toEqual([false, false, false, true, false, false]);
});
