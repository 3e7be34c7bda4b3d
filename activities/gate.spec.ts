import { Gate } from './gate';

test('A7: never more than its width at once, in order, failures included', async () => {
  const gate = new Gate(3);
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  const work = Array.from({ length: 20 }, (_, at) =>
    gate.pass(async () => {
      begun.push(at);
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      if (at % 4 === 0) throw new Error('failed');
    }),
  );
  const ends = await Promise.allSettled(work);
  expect(most).toBe(3);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(5);
});
