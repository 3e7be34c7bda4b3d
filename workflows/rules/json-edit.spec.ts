import fc from 'fast-check';
import { editMembers } from './json-edit';

const model = { model: { kind: 'set', json: '"vm"' } } as const;

test('D5: the value of model is replaced and every other byte stays', () => {
  const text = ' { "id" : "x" , "model":\t"up\\"a\\\\" ,"n":1.0,"big":12345678901234567890 , "nil":null }';
  expect(editMembers(text, model)).toBe('{"id" : "x","model":\t"vm","n":1.0,"big":12345678901234567890,"nil":null}');
});

test('D5: model inside another member is not the model', () => {
  const text = '{"choices":[{"model":"a"},"}"],"x":{"model":"b"},"model":"c"}';
  expect(editMembers(text, model)).toBe('{"choices":[{"model":"a"},"}"],"x":{"model":"b"},"model":"vm"}');
});

test('D5: every one of repeated members is replaced, escaped spelling of the key included', () => {
  expect(editMembers('{"model":1,"mod\\u0065l":2}', model)).toBe('{"model":"vm","mod\\u0065l":"vm"}');
});

test('T75: only `set` adds a member that is absent', () => {
  expect(editMembers('{}', model)).toBe('{"model":"vm"}');
  expect(editMembers('{"a":1}', model)).toBe('{"model":"vm","a":1}');
  expect(editMembers('{"a":1}', { usage: { kind: 'replace', json: 'null' } })).toBe('{"a":1}');
  expect(editMembers('{"usage":{"a":[1,2]},"a":1,"usage":3}', { usage: { kind: 'remove' } })).toBe('{"a":1}');
});

test('a key that objects inherit is no edit', () => {
  expect(editMembers('{"constructor":1,"__proto__":2,"model":3}', model)).toBe(
    '{"constructor":1,"__proto__":2,"model":"vm"}',
  );
});

test('D5: on any object, in any spacing, an edit does what it does on the parsed object', () => {
  const key = fc.oneof(fc.constantFrom('model', 'usage', 'a"b', 'c\\'), fc.string());
  const object = fc.dictionary(key, fc.jsonValue());
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const before = JSON.parse(text) as Record<string, unknown>;
      const { usage: _usage, ...rest } = before;
      expect(JSON.parse(editMembers(text, { ...model, usage: { kind: 'remove' } }))).toEqual({ ...rest, model: 'vm' });
    }),
  );
});

test('a 3 MiB value full of quotes takes one pass', () => {
  const text = `{"a":${JSON.stringify('\\"'.repeat(750_000))},"model":"x"}`;
  const startedAt = performance.now();
  expect(editMembers(text, model)).toBe(text.replace('"model":"x"', '"model":"vm"'));
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
