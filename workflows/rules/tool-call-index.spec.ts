import { ToolCallIndex } from './tool-call-index';

type Fields = Record<string, unknown>;

function play(...deltas: Fields[]): { changed: boolean[]; deltas: Fields[] } {
  const calls = new ToolCallIndex();
  return { changed: deltas.map((delta) => calls.normalise([delta])), deltas };
}

test('D19: consistent deltas stay untouched', () => {
  const first = { index: 0, id: 'a', function: { name: 'f' } };
  const { changed, deltas } = play(
    first,
    { index: 0 },
    { index: 1, id: 'b', function: { name: 'g' } },
    { index: 1, id: null },
    { index: 0, id: '' },
  );
  expect(changed).toEqual([false, false, false, false, false]);
  expect(deltas[3]).toEqual({ index: 1, id: null });
});

test('D19: several calls that all say index 0 are told apart by id and name', () => {
  const { changed, deltas } = play(
    { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
    { index: 0, id: 'b', function: { name: 'g', arguments: '{' } },
    { index: 0, function: { arguments: '}' } },
  );
  expect(changed).toEqual([false, true, true]);
  expect(deltas.map(({ index }) => index)).toEqual([0, 1, 1]);
});

test('D19: an id that changes midway goes back to the first', () => {
  const { deltas } = play(
    { index: 0, id: 'a', function: { name: 'f' } },
    { index: 0, id: 'z', function: { arguments: '1' } },
  );
  expect(deltas[1]).toMatchObject({ index: 0, id: 'a' });
});

test('D19: without an index, a known id finds its call and no id means the latest', () => {
  const { deltas } = play(
    { id: 'a', function: { name: 'f' } },
    { id: 'b', function: { name: 'g' } },
    { id: 'a' },
    {},
    { index: -1, id: 'b' },
  );
  expect(deltas.map(({ index }) => index)).toEqual([0, 1, 0, 0, 1]);
});

test.each([undefined, null, 'x', 7, {}, [1, null, 'x']])('D19: %p is no list of tool calls', (calls) => {
  expect(new ToolCallIndex().normalise(calls)).toBe(false);
});
