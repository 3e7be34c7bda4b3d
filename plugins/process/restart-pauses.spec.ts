import { RestartPauses } from './restart-pauses';

test('T54: the first restart is at once, later ones back off to 30 s; a good run begins anew', () => {
  let now = 0;
  const pauses = new RestartPauses(() => now);
  const failing = (): number => {
    pauses.failed();
    const left = pauses.leftMs();
    now += left;
    return left;
  };
  expect(Array.from({ length: 9 }, failing)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  pauses.started();
  now += 59_999;
  expect(failing()).toBe(30_000);
  pauses.started();
  now += 60_000;
  expect([failing(), failing()]).toEqual([0, 1000]);
});
